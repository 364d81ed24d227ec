'use strict';
// What a page can do beyond being read: hover, sliders over a launch, tables that can be searched
// and sorted, series that can be hidden. It asks for nothing and stores nothing.

const tip = document.getElementById('tip');

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
  const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
  tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
}
function hideTip() { tip.hidden = true; }

// ---- marks with a title ---------------------------------------------------------------------------

for (const title of document.querySelectorAll('svg title')) {
  const mark = title.parentNode;
  mark.dataset.tip = title.textContent;
  title.remove();  // or the browser would show its own beside ours
}
document.addEventListener('pointermove', event => {
  const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
  if (mark) showTip(mark.dataset.tip, event.clientX, event.clientY);
  else if (!event.target.closest || !event.target.closest('.plane')) hideTip();
});
document.addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
document.addEventListener('scroll', hideTip, { passive: true });

// ---- tile maps ------------------------------------------------------------------------------------

const whole = new Intl.NumberFormat('en');
const COLOURS = 8;
const MIXED = 8;
const PALE = 2;  // steps of a die that computes only some tiles of a cell
const CAUSES = ['cold', 'capacity', 'conflict', 'other die'];  // cause0, cause1, ... of a plane

function timeText(ticks) {
  const us = ticks / 100;
  return us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(us < 10 ? 2 : 1)} us`;
}

class Plane {
  constructor(element) {
    this.data = JSON.parse(document.getElementById(element.dataset.map).textContent);
    this.svg = element.querySelector('svg');
    this.paths = [];
    for (let pale = 0; pale <= PALE; ++pale)
      for (let k = 0; k <= COLOURS; ++k)
        this.paths.push(this.svg.querySelector(pale === 0 ? `.k${k}` : `.k${k}.pale${pale}`));
    this.later = this.svg.querySelector('.later');
    this.flying = this.svg.querySelector('.flying');
    this.cursor = this.svg.querySelector('.cursor');
    this.at = 0;
    this.svg.addEventListener('pointermove', event => this.hover(event));
    this.svg.addEventListener('pointerleave', () => { this.leave(); hideTip(); });
    this.svg.addEventListener('keydown', event => this.key(event));
    this.svg.addEventListener('blur', () => { this.leave(); hideTip(); });
  }

  cellAt(event) {
    const box = this.svg.getBoundingClientRect();
    const { rows, columns } = this.data;
    const x = Math.floor((event.clientX - box.left) / box.width * columns);
    const y = Math.floor((event.clientY - box.top) / box.height * rows);
    return x < 0 || y < 0 || x >= columns || y >= rows ? -1 : y * columns + x;
  }

  hover(event) {
    const cell = this.cellAt(event);
    if (cell < 0 || this.data.die[cell] === -2) return hideTip();
    this.point(cell);
    const mark = event.target.closest('[data-tip]');
    const words = mark ? `${mark.dataset.tip}\n` : '';
    showTip(words + this.words(cell), event.clientX, event.clientY);
    event.stopPropagation();
  }

  key(event) {
    const { columns, rows } = this.data;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = this.at + step;
    if (next < 0 || next >= rows * columns || this.data.die[next] === -2) return;
    this.at = next;
    this.point(next);
    const box = this.cursor.getBoundingClientRect();
    showTip(this.words(next), box.right, box.bottom);
  }

  point(cell) {
    this.at = cell;
    this.cursor.setAttribute('x', cell % this.data.columns);
    this.cursor.setAttribute('y', Math.floor(cell / this.data.columns));
    this.cursor.setAttribute('visibility', 'visible');
  }

  leave() { this.cursor.setAttribute('visibility', 'hidden'); }

  index(tile) {
    const index = [];
    const extents = this.data.extents;
    for (let axis = extents.length - 1; axis >= 0; --axis) {
      index.unshift(tile % extents[axis]);
      tile = Math.floor(tile / extents[axis]);
    }
    return `(${index.join(', ')})`;
  }

  words(cell) {
    const data = this.data;
    const row = Math.floor(cell / data.columns) * data.rowTiles;
    const column = cell % data.columns * data.columnTiles;
    const tile = row * data.tileColumns + column;
    const many = data.rowTiles * data.columnTiles > 1;
    const lines = [`${many ? 'tiles from' : 'tile'} ${whole.format(tile)}, ${this.index(tile)}`];
    if (data.turn[cell] < 0) {
      lines.push('no block computes it');
      return lines.join('\n');
    }
    const share = data.share && data.share[cell] < 100 ? ` (${data.share[cell]} % of them)` : '';
    lines.push(`${many ? 'first launch id' : 'launch id'} ${whole.format(data.turn[cell])}` +
               (data.dies > 1 ? data.die[cell] < 0 ? ', dies mixed' : `, die ${data.die[cell]}${share}` : ''));
    if (data.runs && !many && data.runs[cell] > 1) lines.push(`computed ${data.runs[cell]} times`);
    if (data.start && data.start[cell] >= 0) {
      lines.push(`${timeText(data.start[cell])} to ${timeText(data.end[cell])}`);
      const causes = CAUSES.map((name, k) => [name, data[`cause${k}`] ? data[`cause${k}`][cell] : 0])
        .filter(([, count]) => count > 0).map(([name, count]) => `${whole.format(count)} ${name}`);
      lines.push(`${whole.format(data.misses[cell])} L2 misses${causes.length ? `: ${causes.join(', ')}` : ''}`);
    }
    return lines.join('\n');
  }

  paleness(cell) {
    const share = this.data.share ? this.data.share[cell] : 100;
    return share > 75 ? 0 : share > 50 ? 1 : 2;
  }

  // Which colour each cell has; -1: none.
  shades(by) {
    const data = this.data;
    if (by === 'die')
      return data.turn.map((turn, i) => turn < 0 ? -1 : data.die[i] < 0 ? MIXED
        : data.die[i] % COLOURS + this.paleness(i) * (COLOURS + 1));
    const values = by === 'turn' ? data.turn : by === 'misses' || by.startsWith('cause') ? data[by]
      : data.start.map((start, i) => start < 0 ? -1 : data.end[i] - start);
    let least = Infinity;
    let most = -Infinity;
    for (const value of values) {
      if (value < 0) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    this.range = [least, most];
    const span = Math.max(1, most - least);
    return values.map(value => value < 0 ? -1 : Math.min(COLOURS - 1, Math.floor((value - least) / span * COLOURS)));
  }

  path(wanted) {
    const { rows, columns } = this.data;
    const parts = [];
    for (let y = 0; y < rows; ++y) {
      for (let x = 0; x < columns;) {
        if (!wanted(y * columns + x)) { ++x; continue; }
        const first = x;
        while (x < columns && wanted(y * columns + x)) ++x;
        parts.push(`M${first} ${y}h${x - first}v1h-${x - first}z`);
      }
    }
    return parts.join('');
  }

  colour(by) {
    const shades = this.shades(by);
    this.paths.forEach((path, k) => { if (path) path.setAttribute('d', this.path(cell => shades[cell] === k)); });
    this.svg.classList.toggle('by-die', by === 'die');
    this.svg.classList.toggle('by-turn', by !== 'die');
  }

  // `launched` turns have started: what is still to come is pale, what runs is framed.
  show(launched) {
    const data = this.data;
    if (launched >= data.turns) {
      this.later.setAttribute('d', '');
      this.flying.setAttribute('d', '');
      return { flying: 0, now: -1 };
    }
    this.later.setAttribute('d', this.path(cell => data.turn[cell] >= launched));
    if (!data.start || launched > data.replayed) {
      this.flying.setAttribute('d', '');
      return { flying: -1, now: -1 };
    }
    let now = -1;
    for (let cell = 0; cell < data.turn.length; ++cell)
      if (data.turn[cell] >= 0 && data.turn[cell] < launched) now = Math.max(now, data.start[cell]);
    let flying = 0;
    const path = this.path(cell => {
      const runs = data.turn[cell] >= 0 && data.turn[cell] < launched && data.start[cell] >= 0 &&
        data.end[cell] > now;
      return runs;
    });
    for (let cell = 0; cell < data.turn.length; ++cell)
      if (data.turn[cell] >= 0 && data.turn[cell] < launched && data.end[cell] > now) ++flying;
    this.flying.setAttribute('d', path);
    return { flying, now };
  }
}

const players = [];

class Player {
  constructor(figure) {
    this.controls = figure.querySelector('.controls');
    this.planes = [...figure.querySelectorAll('.plane')].map(plane => new Plane(plane));
    this.slider = this.controls.querySelector('input');
    this.button = this.controls.querySelector('button');
    this.output = this.controls.querySelector('output');
    this.select = this.controls.querySelector('select');
    this.legend = figure.querySelector('.tiles-legend');
    this.dieLegend = [...this.legend.childNodes];
    this.controls.hidden = false;
    const data = this.planes[0].data;
    const ways = data.dies > 1 ? [['die', 'die']] : [];
    ways.push(['turn', 'launch order']);
    if (data.start) {
      ways.push(['misses', 'L2 misses']);
      CAUSES.forEach((name, k) => {
        const counts = data[`cause${k}`];
        if (counts && counts.some(count => count > 0)) ways.push([`cause${k}`, `L2 misses: ${name}`]);
      });
      ways.push(['time', 'time of a tile']);
    }
    for (const [value, name] of ways) this.select.add(new Option(name, value));
    this.slider.addEventListener('input', () => { this.stop(); moveAll(Number(this.slider.value)); });
    this.button.addEventListener('click', () => this.timer ? this.stop() : this.play());
    this.select.addEventListener('change', () => colourAll(this.select.value));
    this.move(1000);
    // Where most cells hold all dies alike, their colours say nothing.
    const mixed = data.die.filter(die => die === -1).length;
    if (data.dies > 1 && 2 * mixed > data.die.length) this.colour('turn');
  }

  colour(by) {
    if (![...this.select.options].some(option => option.value === by)) return;
    this.select.value = by;
    for (const plane of this.planes) plane.colour(by);
    if (by === 'die') { this.legend.replaceChildren(...this.dieLegend); return; }
    const [least, most] = this.planes[0].range;
    const say = by === 'turn' ? value => `launch id ${whole.format(value)}`
      : by === 'time' ? timeText : value => `${whole.format(value)} L2 misses`;
    this.legend.replaceChildren();
    for (let k = 0; k < COLOURS; ++k) {
      const item = document.createElement('li');
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      svg.setAttribute('class', 'tiles by-turn');
      svg.setAttribute('width', 16);
      svg.setAttribute('height', 16);
      svg.setAttribute('aria-hidden', 'true');
      const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      rect.setAttribute('class', `k${k}`);
      rect.setAttribute('width', 16);
      rect.setAttribute('height', 16);
      svg.append(rect);
      item.append(svg);
      if (k === 0) item.append(` ${say(least)}`);
      if (k === COLOURS - 1) item.append(` ${say(most)}`);
      this.legend.append(item);
    }
  }

  move(place) {
    this.slider.value = place;
    const turns = this.planes[0].data.turns;
    const launched = Math.round(place / 1000 * turns);
    const seen = this.planes.map(plane => plane.show(launched))[0];
    const data = this.planes[0].data;
    const cells = data.rowTiles * data.columnTiles > 1;
    let words = `${whole.format(launched)} of ${whole.format(turns)} launched`;
    if (launched < turns && seen.flying >= 0 && launched > 0)
      words += `, ${whole.format(seen.flying)} ${cells ? 'cells with tiles' : 'tiles'} in flight at ${timeText(seen.now)}`;
    else if (launched < turns && data.start && launched > data.replayed)
      words += `; the replay covers the first ${whole.format(data.replayed)}`;
    this.output.textContent = words;
    this.slider.setAttribute('aria-valuetext', words);
  }

  play() {
    let place = Number(this.slider.value) >= 1000 ? 0 : Number(this.slider.value);
    this.button.textContent = '\u23F8';
    this.timer = setInterval(() => {
      place += 4;
      moveAll(Math.min(1000, place));
      if (place >= 1000) this.stop();
    }, 40);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.button.textContent = '\u25B6';
  }
}

function moveAll(place) { for (const player of players) player.move(place); }
function colourAll(by) { for (const player of players) player.colour(by); }
for (const controls of document.querySelectorAll('.controls')) players.push(new Player(controls.closest('figure')));

// ---- tables ---------------------------------------------------------------------------------------

const UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4, us: 1, ms: 1e3, s: 1e6 };

function valueOf(text) {
  const match = /^[~*+]?(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([A-Za-z]*)/.exec(text.trim());
  return match ? Number(match[1].replace(/,/g, '')) * (UNITS[match[2]] || 1) : NaN;
}

function sortTable(table, column, header) {
  const up = header.getAttribute('aria-sort') !== 'ascending';
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const body = table.tBodies[0];
  const rows = [...body.rows].map(row => ({ row, text: row.cells[column].textContent }));
  const numeric = header.classList.contains('figure');
  rows.sort((a, b) => {
    const difference = numeric ? valueOf(a.text) - valueOf(b.text) : NaN;
    const order = Number.isNaN(difference) ? a.text.localeCompare(b.text, 'en', { numeric: true }) : difference;
    return up ? order : -order;
  });
  body.append(...rows.map(entry => entry.row));
}

for (const table of document.querySelectorAll('table.long')) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    if (!header.textContent) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = header.textContent;
    button.addEventListener('click', () => sortTable(table, column, header));
    header.replaceChildren(button);
  });
  const search = document.createElement('input');
  search.type = 'search';
  search.className = 'search';
  search.placeholder = 'Search this table';
  search.setAttribute('aria-label', `search: ${table.caption.textContent}`);
  search.addEventListener('input', () => {
    const wanted = search.value.toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.parentNode.before(search);
}

// ---- series of a plot -----------------------------------------------------------------------------

for (const box of document.querySelectorAll('input[data-series]')) {
  const figure = box.closest('figure');
  box.addEventListener('change', () => {
    for (const group of figure.querySelectorAll(`g[data-series="${box.dataset.series}"]`))
      group.style.display = box.checked ? '' : 'none';
  });
}

// ---- where the reader is --------------------------------------------------------------------------

const links = new Map([...document.querySelectorAll('nav a')].map(link => [link.hash.slice(1), link]));
if (links.size > 0 && 'IntersectionObserver' in window) {
  const seen = new Set();
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const id = entry.target.querySelector('h2').id;
      if (entry.isIntersecting) seen.add(id);
      else seen.delete(id);
    }
    let found = false;
    for (const [id, link] of links) {
      const here = !found && seen.has(id);
      link.classList.toggle('here', here);
      if (here) { link.setAttribute('aria-current', 'true'); found = true; }
      else link.removeAttribute('aria-current');
    }
  }, { rootMargin: '-10% 0px -60% 0px' });
  for (const section of document.querySelectorAll('main > section')) watch.observe(section);
}
addEventListener('beforeprint', () => { for (const details of document.querySelectorAll('details')) details.open = true; });
