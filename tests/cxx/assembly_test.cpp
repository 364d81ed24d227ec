// Assembly taken apart: of this machine's compiler, to be observed, and of a GPU's.
#include "kernel/cxx/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/cxx/target_code.h"

namespace heddle::kernel::cxx {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMain = "heddle_kernel_source";

constexpr const char* kArm = R"(	.file	0 "/tmp" "heddle_kernel_source" md5 0x1
	.file	2 "/a/b" "common.h"
	.globl	k
k:
	.cfi_startproc
	.loc	0 3 1
	adrp	x0, .L__sancov_gen_
	bl	__sanitizer_cov_trace_pc_guard
	.loc	0 4 9 prologue_end
	bl	__sanitizer_cov_load8
	ldr	x8, [x19]
.LBB0_1:
	bl	__sanitizer_cov_trace_pc_guard
	.loc	0 5 12 is_stmt 0
	bl	__sanitizer_cov_load4
.LBB0_2:
	bl	__sanitizer_cov_trace_pc_guard
	.loc	2 12 3
	bl	__sanitizer_cov_store16
	b.ne	.LBB0_2
	.loc	0 6 3
	bl	heddle_atomic4
	cbnz	x0, .LBB0_1
	.loc	0 7 3
	bl	__asan_memcpy
	bl	somebody_else
	b	.LBB0_9
.LBB0_9:
	ret
	.cfi_endproc
	.section	.rodata
	.word	.LBB0_1-.LBB0_9
)";

constexpr const char* kX86 = R"(	.file	0 "/tmp" "heddle_kernel_source" md5 0x1
	.file	2 "/a/b" "common.h"
	.globl	k
k:
	.cfi_startproc
	.loc	0 3 1
	leaq	.L__sancov_gen_(%rip), %rdi
	callq	__sanitizer_cov_trace_pc_guard@PLT
	.loc	0 4 9 prologue_end
	callq	__sanitizer_cov_load8@PLT
	movq	(%rbx), %rax
.LBB0_1:                                # =>This Inner Loop
	callq	__sanitizer_cov_trace_pc_guard@PLT
	.loc	0 5 12 is_stmt 0
	callq	__sanitizer_cov_load4@PLT
.LBB0_2:
	callq	__sanitizer_cov_trace_pc_guard@PLT
	.loc	2 12 3
	callq	__sanitizer_cov_store16@PLT
	jne	.LBB0_2
	.loc	0 6 3
	callq	heddle_atomic4@PLT
	jne	.LBB0_1
	.loc	0 7 3
	callq	__asan_memcpy@PLT
	callq	somebody_else@PLT
	jmp	.LBB0_9
.LBB0_9:
	retq
	.cfi_endproc
	.section	.rodata
	.long	.LBB0_1-.LBB0_9
)";

void check_what_both_have(const ObservedAssembly& observed) {
  ASSERT_EQ(observed.sites.size(), 4U + 6U);  // a copy has six: reads and writes of 16, 4, 1 B
  const auto check = [&](std::size_t site, MemoryKind kind, int bytes, int line, int column) {
    EXPECT_EQ(observed.sites[site].kind, kind) << site;
    EXPECT_EQ(observed.sites[site].bytes, bytes) << site;
    EXPECT_EQ(observed.sites[site].line, line) << site;
    EXPECT_EQ(observed.sites[site].column, column) << site;
  };
  check(0, MemoryKind::read, 8, 4, 9);
  check(1, MemoryKind::read, 4, 5, 12);
  check(2, MemoryKind::write, 16, 0, 0);
  EXPECT_EQ(observed.sites[2].elsewhere, "common.h:12");
  check(3, MemoryKind::atomic, 4, 6, 3);
  check(4, MemoryKind::read, 16, 7, 3);
  check(9, MemoryKind::write, 1, 7, 3);

  ASSERT_EQ(observed.loops.size(), 2U);  // the inner one's branch comes first
  EXPECT_EQ(observed.loops[0].first, 2U);
  EXPECT_EQ(observed.loops[0].last, 2U);
  EXPECT_EQ(observed.loops[1].first, 1U);
  EXPECT_EQ(observed.loops[1].last, 3U);

  EXPECT_EQ(observed.counters, 3);
  const auto has_place = [&](int line, int column, int counter) {
    for (const CountedPlace& place : observed.places)
      if (place.line == line && place.column == column && place.counter == counter) return true;
    return false;
  };
  EXPECT_TRUE(has_place(4, 9, 0));
  EXPECT_TRUE(has_place(5, 12, 1));
  EXPECT_TRUE(has_place(6, 3, 2));
  EXPECT_FALSE(has_place(12, 3, 2)) << "of another file";

  EXPECT_THAT(observed.text, Not(HasSubstr("__sanitizer_cov")));
  EXPECT_THAT(observed.text, Not(HasSubstr("__asan_")));
  EXPECT_THAT(observed.text, HasSubstr("somebody_else"));
  for (std::size_t site = 0; site < observed.sites.size(); ++site) {
    const std::string name = ".Lheddle_site_" + std::to_string(site);
    EXPECT_THAT(observed.text, HasSubstr("\n" + name + ":\n"));
    EXPECT_THAT(observed.text, HasSubstr("\t.quad\t" + name + "\n"));
  }
  EXPECT_THAT(observed.text, HasSubstr("heddle_counters:\n.Lheddle_counters:\n\t.zero\t24\n"));
}

TEST(Assembly, OfArm) {
  const ObservedAssembly observed = observe(kArm, kMain);
  check_what_both_have(observed);
  EXPECT_THAT(observed.text,
              HasSubstr("\tcbz\tw16, .Lheddle_site_0\n.Lheddle_call_0:\n\tmov\tw1, #0\n"
                        "\tbl\theddle_load8\n"
                        ".Lheddle_site_0:\n\tldr\tx8, [x19]\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmov\tw1, #2\n\tbl\theddle_store16\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmov\tw1, #3\n\tbl\theddle_change4\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmov\tw3, #4\n\tbl\theddle_memcpy\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tadrp\tx16, .Lheddle_counters+16\n"));
}

TEST(Assembly, OfX86) {
  const ObservedAssembly observed = observe(kX86, kMain);
  check_what_both_have(observed);
  EXPECT_THAT(observed.text, HasSubstr("\tje\t.Lheddle_site_0\n.Lheddle_call_0:\n\tmovl\t$0, %esi\n"
                                       "\tcallq\theddle_load8@PLT\n"
                                       ".Lheddle_site_0:\n\tmovq\t(%rbx), %rax\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmovl\t$2, %esi\n\tcallq\theddle_store16@PLT\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmovl\t$3, %esi\n\tcallq\theddle_change4@PLT\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tmovl\t$4, %ecx\n\tcallq\theddle_memcpy@PLT\n"));
  EXPECT_THAT(observed.text, HasSubstr("\tincq\t.Lheddle_counters+16(%rip)\n"));
}

TEST(Assembly, WithoutAnyOfThat) {
  const ObservedAssembly observed = observe("k:\n\tret", kMain);
  EXPECT_TRUE(observed.sites.empty());
  EXPECT_TRUE(observed.loops.empty());
  EXPECT_EQ(observed.counters, 1) << "there is always room for one";
  EXPECT_THAT(observed.text, HasSubstr("k:\n\tret\n"));
}

constexpr const char* kAmd = R"(	.file	1 "/tmp" "heddle_kernel_source"
	.file	3 "/a" "device.h"
_Z5otherPd:
	.loc	1 2 2
	v_add_f32_e32 v0, v1, v2
.Lfunc_end0:
; codeLenInByte = 8
_Z4gemmILi16EEvPd:                      ; @gemm
; %bb.0:
	.loc	1 12 33
	s_load_dwordx2 s[22:23], s[4:5], 0x0
	global_load_dwordx2 v[16:17], v[0:1], off
.LBB1_1:
	v_fmac_f64_e32 v[8:9], s[22:23], v[16:17]
	.loc	3 9 9
	s_waitcnt vmcnt(0)                      ; a remark
	.loc	1 15 3
	global_atomic_add_f64 v2, v[8:9], s[0:1]
	s_endpgm
	.section	.rodata
	.amdhsa_kernel _Z4gemmILi16EEvPd
	.end_amdhsa_kernel
.Lfunc_end1:
; codeLenInByte = 420
	.amdhsa_kernel _Z5otherPd
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .group_segment_fixed_size: 16
    .name:           _Z5otherPd
    .private_segment_fixed_size: 4
    .sgpr_count:     9
    .vgpr_count:     99
  - .agpr_count:     0
    .group_segment_fixed_size: 4224
    .name:           _Z4gemmILi16EEvPd
    .private_segment_fixed_size: 32
    .sgpr_count:     30
    .sgpr_spill_count: 1
    .vgpr_count:     18
    .vgpr_spill_count: 2
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
	.end_amdgpu_metadata
)";

TEST(TargetCode, RegistersPlacesAndParts) {
  const auto code = read_target_code(kAmd, "kernels::gemm<16>", kMain);
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(code->registers, 18);
  EXPECT_EQ(code->scalar_registers, 30);
  EXPECT_EQ(code->spilled_registers, 3);
  EXPECT_EQ(code->shared_bytes, 4224);
  EXPECT_EQ(code->scratch_bytes, 32);
  EXPECT_EQ(code->code_bytes, 420);
  ASSERT_GE(code->instructions.size(), 6U);
  EXPECT_EQ(code->instructions[0].name, "s_load_dwordx2");
  EXPECT_EQ(code->instructions[0].line, 12);
  EXPECT_EQ(code->instructions[0].column, 33);
  EXPECT_EQ(code->instructions[2].name, "v_fmac_f64_e32");
  EXPECT_NE(code->instructions[2].part, code->instructions[1].part);
  EXPECT_EQ(code->instructions[3].line, 0) << "of another file";
  EXPECT_EQ(code->instructions[4].line, 15);
  EXPECT_FALSE(read_target_code(kAmd, "nobody", kMain).has_value());
  EXPECT_FALSE(read_target_code("", "gemm", kMain).has_value());
}

TEST(TargetCode, Loads) {
  EXPECT_TRUE(is_scalar_load("s_load_dwordx2"));
  EXPECT_TRUE(is_scalar_load("s_buffer_load_dword"));
  EXPECT_FALSE(is_scalar_load("global_load_dword"));
  EXPECT_FALSE(is_scalar_load("s_add_u32"));
  EXPECT_TRUE(is_vector_load("global_load_dwordx4"));
  EXPECT_TRUE(is_vector_load("flat_load_ubyte"));
  EXPECT_FALSE(is_vector_load("global_store_dword"));
  EXPECT_FALSE(is_vector_load("s_load_dword"));
}

TEST(TargetCode, Atomics) {
  const auto atomic = [](std::string_view text) {
    TargetInstruction instruction;
    instruction.text = text;
    instruction.name = text.substr(0, text.find(' '));
    return atomic_of(instruction);
  };
  const auto unused = atomic("global_atomic_add_f64 v2, v[8:9], s[0:1]");
  ASSERT_TRUE(unused.has_value());
  EXPECT_EQ(unused->function, AtomicFunction::add);
  EXPECT_TRUE(unused->is_float);
  EXPECT_FALSE(unused->result_used);
  EXPECT_TRUE(atomic("global_atomic_add v1, v2, v3, s[0:1] glc")->result_used);
  EXPECT_TRUE(atomic("global_atomic_add v1, v2, v3, s[0:1] sc0")->result_used);
  EXPECT_FALSE(atomic("global_atomic_add v2, v3, s[0:1] sc1")->result_used);
  EXPECT_FALSE(atomic("global_atomic_add v1, v2, s[0:1]")->is_float);
  EXPECT_EQ(atomic("global_atomic_sub v1, v2, s[0:1]")->function, AtomicFunction::add);
  EXPECT_EQ(atomic("global_atomic_smax v1, v2, s[0:1]")->function, AtomicFunction::maximum);
  EXPECT_EQ(atomic("global_atomic_umin_x2 v1, v[2:3], s[0:1]")->function, AtomicFunction::minimum);
  EXPECT_EQ(atomic("flat_atomic_xor v[0:1], v2")->function, AtomicFunction::bit_xor);
  EXPECT_EQ(atomic("global_atomic_swap v1, v2, s[0:1]")->function, AtomicFunction::exchange);
  EXPECT_EQ(atomic("global_atomic_cmpswap v0, v1, v[2:3], s[0:1] glc")->function,
            AtomicFunction::compare_exchange);
  EXPECT_EQ(atomic("global_atomic_pk_add_f16 v1, v2, s[0:1]")->function, AtomicFunction::add);
  EXPECT_FALSE(atomic("ds_add_u32 v0, v1").has_value());
  EXPECT_FALSE(atomic("global_load_dword v0, v1, s[0:1]").has_value());
}

TEST(TargetCode, Work) {
  const auto check = [](std::string_view name, ArithmeticKind kind, DType type, double count) {
    const auto work = work_of(name);
    ASSERT_TRUE(work.has_value()) << name;
    EXPECT_EQ(work->kind, kind) << name;
    EXPECT_EQ(work->type, type) << name;
    EXPECT_EQ(work->count, count) << name;
  };
  check("v_fmac_f64_e32", ArithmeticKind::fused, DType::float64, 1);
  check("v_pk_fma_f32", ArithmeticKind::fused, DType::float32, 2);
  check("v_mul_f32_e32", ArithmeticKind::multiply, DType::float32, 1);
  check("v_add_f64", ArithmeticKind::add, DType::float64, 1);
  check("v_mul_lo_u32", ArithmeticKind::multiply, DType::int32, 1);
  check("v_rsq_f32_e32", ArithmeticKind::transcendental, DType::float32, 1);
  check("v_mfma_f32_32x32x8f16", ArithmeticKind::dot, DType::float16, 32.0 * 32 * 8 / 64);
  check("v_mfma_f64_16x16x4f64", ArithmeticKind::dot, DType::float64, 16.0 * 16 * 4 / 64);
  EXPECT_FALSE(work_of("s_add_u32").has_value());
  EXPECT_FALSE(work_of("global_load_dword").has_value());
}

TEST(Assembly, SharedVariablesAreListedAndHaveAGap) {
  const ObservedAssembly observed = observe(
      "k:\n\tret\n\t.section\theddle_shared,\"aw\",@progbits\n_ZZ1kPfE4tile:\n\t.zero\t512\n"
      "\t.size\t_ZZ1kPfE4tile, 512\n\t.data\nother:\n\t.size\tother, 4\n",
      kMain);
  EXPECT_THAT(observed.text, HasSubstr("\t.size\t_ZZ1kPfE4tile, 512\n\t.zero\t1024\n"));
  EXPECT_THAT(observed.text,
              HasSubstr("heddle_shared_arrays:\n\t.quad\t_ZZ1kPfE4tile\n\t.quad\t512\n"
                        "\t.quad\t.Lheddle_shared_name_0\n\t.quad\t0\n"));
  EXPECT_THAT(observed.text, HasSubstr(".Lheddle_shared_name_0:\n\t.asciz\t\"tile\"\n"));
}

}  // namespace
}  // namespace heddle::kernel::cxx
