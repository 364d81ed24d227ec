#include "kernel/triton/host/likely.h"

#include <array>
#include <initializer_list>
#include <string_view>

#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

bool has(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) != std::string_view::npos) return true;
  return false;
}

bool is(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

/// BLOCK_M, BT, BLOCK_SIZE, BLK_K, tile_n, chunk_size
bool is_block(const std::string& name, const std::string& lowered) {
  if (has(lowered, {"block", "blk", "tile", "chunk"})) return true;
  return name.size() == 2 && name[0] == 'B' &&
         std::isupper(static_cast<unsigned char>(name[1])) != 0;
}

}  // namespace

Number likely_number(const std::string& name) {
  const std::string low = lower_case(name);
  if (has(low, {"stride"})) return Number::of(1);
  if (has(low, {"eps"}) && !has(low, {"steps"})) return Number::of_real(1e-6);
  if (has(low, {"dropout", "p_drop", "drop_p"}) || is(low, {"p"})) return Number::of_real(0.0);
  if (name != low && has(low, {"factor"})) return Number::of(2);  // BLK_SLICE_FACTOR
  if (has(low, {"softcap", "soft_cap"})) return Number::of_real(0.0);
  if (has(low, {"temperature", "scale", "alpha", "beta", "gamma", "momentum", "slope", "lr",
                "decay", "theta", "factor", "weight_"}) &&
      !has(low, {"scale_size", "scale_block", "n_scale", "weight_height", "weight_width",
                 "weight_size", "weight_dim"}))
    return Number::of_real(1.0);
  if (has(low, {"seed", "offset", "start", "_begin", "device", "pid", "_idx", "layer_id"}) ||
      is(low, {"rank"}))
    return Number::of(0);
  if (has(low, {"num_warps"})) return Number::of(4);
  if (has(low, {"num_stages"})) return Number::of(2);
  if (has(low, {"num_sm", "num_cu", "sms", "programs", "num_ctas", "processor_count"}))
    return Number::of(132);
  if (is(low, {"max_num_regs"})) return Number::of(65536);
  if (is(low, {"max_shared_mem"})) return Number::of(232448);
  if (is(low, {"n_regs", "num_regs", "warpsize", "warp_size"})) return Number::of(64);
  if (has(low, {"world_size"})) return Number::of(8);
  if (has(low, {"split"})) return Number::of(4);
  if (has(low, {"page_size", "page_len", "block_size"}) && name == low) return Number::of(16);
  if (has(low, {"num_blocks", "num_pages", "n_blocks", "n_pages", "num_slots"}))
    return Number::of(256);
  if (is_block(name, low)) return Number::of(64);
  if (has(low, {"xcd", "group_m", "group_size_m", "gsize_m", "group_sz_m"})) return Number::of(8);
  if (is(low, {"bits", "nbits", "n_bits", "w_bits", "wbits", "num_bits", "nbit"}))
    return Number::of(4);
  if (has(low, {"group_size", "groupsize", "group_n", "group_k"})) return Number::of(128);
  if (has(low, {"group"})) return Number::of(8);
  if (has(low, {"kv_head", "num_kv", "n_kv", "heads_k", "kv_h", "hkv", "h_kv", "hk"}) ||
      is(low, {"kv", "nkv"}))
    return Number::of(4);
  if (is_head_size_name(name)) return Number::of(64);
  if (has(low, {"head"}) || is(low, {"h", "hq", "hv", "nh", "h_q", "h_qo", "q_h", "n_h"}))
    return Number::of(16);
  if (has(low, {"expert"}) || is(low, {"e"})) return Number::of(8);
  if (has(low, {"top_k", "topk"})) return Number::of(2);
  if (has(low, {"batch", "bsz"}) || is(low, {"b", "z", "bs", "nb"})) return Number::of(4);
  if (has(low, {"num_seq", "n_seq", "nseq", "num_req", "n_req", "num_prompts"}))
    return Number::of(16);
  if (has(low, {"vocab", "n_class", "num_class"})) return Number::of(32768);
  if (has(low, {"lora", "rank"})) return Number::of(16);
  if (has(low, {"width", "kernel_size", "kernel_h", "kernel_w"})) return Number::of(4);
  if (has(low, {"seq", "ctx", "token", "max_len", "_len"}) || is(low, {"t", "s", "l"}))
    return Number::of(1024);
  if (is(low, {"m", "n", "k"})) return Number::of(name == low ? 1024 : 4096);
  if (has(low, {"hidden", "intermediate", "feature", "n_col", "ncol", "cols", "inner"}))
    return Number::of(4096);
  if (has(low, {"row"})) return Number::of(1024);
  if (has(low, {"elements", "numel", "total"}) || is(low, {"xnumel", "n_elements"}))
    return Number::of(1 << 20);
  if (is(low, {"xdim", "ydim", "in_dim", "out_dim", "dim_in", "dim_out"})) return Number::of(1024);
  if (has(low, {"dim"})) return Number::of(64);
  if (has(low, {"num_", "n_"})) return Number::of(16);
  return Number::of(1024);
}

bool is_head_size_name(const std::string& name) {
  const std::string low = lower_case(name);
  return has(low, {"head_dim", "headdim", "head_size", "dim_head", "d_head", "dhead", "head_d",
                   "hdim", "dmodel", "d_model", "rotary_dim", "rope", "dstate", "d_state"}) ||
         is(low, {"d", "dk", "dv", "hd", "lk", "lq", "lv"});
}

bool is_vague_name(const std::string& name) {
  return is(lower_case(name), {"dim", "size", "length", "width", "n"});
}

bool is_bounds_name(const std::string& name) {
  return has(lower_case(name), {"cu_seq", "cu_len", "cu_q", "cu_k", "cu_num", "seq_off", "indptr"});
}

bool is_index_name(const std::string& name) {
  const std::string low = lower_case(name);
  if (has(low, {"scale", "cos", "sin", "weight"})) return false;
  return has(
      low, {"indices",     "index",      "_idx",          "idx_",           "_ids",     "cu_seq",
            "cu_q",        "cu_k",       "seqlen",        "seq_len",        "_lens",    "lengths",
            "block_table", "page_table", "blocktable",    "slot",           "indptr",   "_loc",
            "b_start",     "offsets",    "positions",     "req_to",         "token_id", "expert_id",
            "mapping",     "labels",     "chunk_offsets", "num_tokens_post"});
}

}  // namespace heddle::kernel::triton::host
