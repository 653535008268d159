/** Loads the content of the tides page after the page itself. */
export const SLOW_SCRIPT = String.raw`
const card = document.getElementById('tides');

function row(cells, name) {
  const line = document.createElement('tr');
  line.append(...cells.map((text) => {
    const cell = document.createElement(name);
    cell.textContent = text;
    return cell;
  }));
  return line;
}

function show(tides) {
  const table = document.createElement('table');
  table.className = 'table';
  table.createCaption().textContent = 'Tides today';
  table.caption.className = 'sr-only';
  table.createTHead().append(row(['Time', 'Tide', 'Height'], 'th'));
  table.createTBody().append(...tides.map(({ time, tide, height }) => row([time, tide, height], 'td')));
  card.replaceChildren(table);
}

fetch('/api/tides?ms=' + card.dataset.ms)
  .then((response) => response.ok ? response.json() : Promise.reject(new Error('status ' + response.status)))
  .then(({ tides }) => show(tides))
  .catch(() => { card.textContent = 'The gauge does not answer. Reload the page to try again.'; })
  .finally(() => card.setAttribute('aria-busy', 'false'));
`;
