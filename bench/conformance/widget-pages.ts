import { css, page, outputIs, script, style, type Kind } from './page-kind.ts';

/* Third-party widgets: published code in a page of this repository, or a page of the package. */

const jqueryUi = '/npm/jquery-ui-dist/index.html';
const list = (id: string) =>
  `<ul id="${id}" style="width:240px">${[1, 2, 3, 4].map((n) => `<li style="padding:8px">Item ${n}</li>`).join('')}</ul>`;

export const packages: readonly Kind[] = [
  {
    name: 'flatpickr: date picker',
    by: 'widgets',
    html: page(
      `${style('flatpickr/dist/flatpickr.css')}<input id="d" aria-label="Day">${script('flatpickr/dist/flatpickr.js')}<script>flatpickr('#d', { defaultDate: '2026-11-21', onChange: (_, text) => say(text) })</script>`,
    ),
    cases: [
      {
        name: 'click a day of the next month',
        steps: [
          { action: 'click', target: { label: 'Day' } },
          { action: 'click', target: css('.flatpickr-next-month') },
          { action: 'click', target: { css: '.flatpickr-day', hasText: '24', nth: 0 } },
        ],
        then: outputIs('2026-12-24'),
      },
    ],
  },
  {
    name: 'vanillajs-datepicker',
    by: 'widgets',
    html: page(
      `${style('vanillajs-datepicker/dist/css/datepicker.css')}<input id="d" value="2026-11-21">${script('vanillajs-datepicker/dist/js/datepicker-full.js')}<script>new Datepicker(d, { format: 'yyyy-mm-dd', autohide: true }); d.addEventListener('changeDate', () => say(d.value))</script>`,
    ),
    cases: [
      {
        name: 'click a day',
        steps: [
          { action: 'click', target: css('#d') },
          { action: 'click', target: { css: '.datepicker-cell.day:not(.prev):not(.next)', hasText: '17' } },
        ],
        then: outputIs('2026-11-17'),
      },
      {
        name: 'type, press Enter',
        steps: [
          { action: 'type', target: css('#d'), text: '2026-11-05' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('2026-11-05'),
      },
    ],
  },
  {
    name: 'Choices.js: multiple selection',
    by: 'widgets',
    html: page(
      `${style('choices.js/public/assets/styles/choices.css')}<select id="k" multiple><option value="t">Tea<option value="c">Coffee<option value="m">Milk</select>${script('choices.js/public/assets/scripts/choices.js')}<script>new Choices(k, { removeItemButton: true }); k.addEventListener('change', () => say([...k.selectedOptions].map((one) => one.value)))</script>`,
    ),
    cases: [
      {
        name: 'click, click an option',
        steps: [
          { action: 'click', target: css('.choices__inner') },
          { action: 'click', target: { css: '.choices__list--dropdown [role=option]', hasText: 'Coffee' } },
        ],
        then: outputIs('c'),
      },
      {
        name: 'type, press Enter',
        steps: [
          { action: 'click', target: css('.choices__inner') },
          { action: 'type', target: css('.choices input'), text: 'mil' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('m'),
      },
    ],
  },
  {
    name: 'Tom Select: combobox',
    by: 'widgets',
    html: page(
      `${style('tom-select/dist/css/tom-select.css')}<select id="k" aria-label="Drink"><option value="">None<option value="t">Tea<option value="c">Coffee</select>${script('tom-select/dist/js/tom-select.complete.js')}<script>new TomSelect(k, { onChange: say })</script>`,
    ),
    cases: [
      {
        name: 'click, click an option',
        steps: [
          { action: 'click', target: css('.ts-control') },
          { action: 'click', target: { role: 'option', name: 'Tea' } },
        ],
        then: outputIs('t'),
      },
      {
        name: 'select',
        steps: [{ action: 'selectOption', target: css('.ts-control input'), option: 'Coffee' }],
        then: outputIs('c'),
      },
    ],
  },
  {
    name: 'Select2: combobox with a search',
    by: 'widgets',
    html: page(
      `${style('select2/dist/css/select2.css')}<select id="k" style="width:200px"><option value="t">Tea<option value="c">Coffee</select>${script('jquery/dist/jquery.js')}${script('select2/dist/js/select2.full.js')}<script>$('#k').select2().on('change', () => say(k.value))</script>`,
    ),
    cases: [
      {
        name: 'select',
        steps: [{ action: 'selectOption', target: css('.select2-selection'), option: 'Coffee' }],
        then: outputIs('c'),
      },
      {
        name: 'click, type, press Enter',
        steps: [
          { action: 'click', target: css('.select2-selection') },
          { action: 'type', target: css('.select2-search__field'), text: 'cof' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('c'),
      },
    ],
  },
  {
    name: 'Tagify: tags',
    by: 'widgets',
    html: page(
      `${style('@yaireo/tagify/dist/tagify.css')}<input id="t">${script('@yaireo/tagify/dist/tagify.js')}<script>const tags = new Tagify(t); tags.on('change', () => say(tags.value.map((one) => one.value)))</script>`,
    ),
    cases: [
      {
        name: 'type, press Enter, twice',
        steps: [
          { action: 'type', target: css('.tagify__input'), text: 'one' },
          { action: 'press', key: 'Enter' },
          { action: 'type', target: css('.tagify__input'), text: 'two' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('one,two'),
      },
    ],
  },
  {
    name: 'SortableJS: sortable list',
    by: 'widgets',
    html: page(
      `${list('l')}${script('sortablejs/Sortable.js')}<script>new Sortable(l, { animation: 100, onEnd: () => say([...l.children].map((one) => one.textContent.at(-1)).join('')) })</script>`,
    ),
    cases: [
      {
        name: 'drag',
        steps: [{ action: 'drag', target: { text: 'Item 1' }, to: { text: 'Item 3' } }],
        then: outputIs('2314'),
      },
    ],
  },
  {
    name: 'dragula: from list to list',
    by: 'widgets',
    html: page(
      `${style('dragula/dist/dragula.css')}<style>ul { float: left; min-height: 150px; background: #eee; margin: 8px }</style>${list('l')}<ul id="r" style="width:240px"><li style="padding:8px">Other</li></ul>${script('dragula/dist/dragula.js')}<script>dragula([l, r]).on('drop', (el, to) => say(el.textContent + ' in ' + to.id))</script>`,
    ),
    cases: [
      {
        name: 'drag',
        steps: [{ action: 'drag', target: { text: 'Item 2' }, to: { text: 'Other' } }],
        then: outputIs('Item 2 in r'),
      },
    ],
  },
  {
    name: 'noUiSlider: slider with two handles',
    by: 'widgets',
    html: page(
      `${style('nouislider/dist/nouislider.css')}<div id="s" style="width:400px;margin:60px"></div>${script('nouislider/dist/nouislider.js')}<script>noUiSlider.create(s, { start: [20, 80], range: { min: 0, max: 100 }, step: 1 }); s.noUiSlider.on('change', (values) => say(values.map(Math.round)))</script>`,
    ),
    cases: [
      {
        name: 'drag a handle',
        steps: [{ action: 'drag', target: { css: '.noUi-handle-lower' }, by: { x: 80 } }],
        then: outputIs('40,80'),
      },
      {
        name: 'press a key on a handle',
        steps: [{ action: 'press', key: 'ArrowLeft', times: 2, target: css('.noUi-handle-upper') }],
        then: outputIs('20,78'),
      },
    ],
  },
  {
    name: 'Quill: editor',
    by: 'widgets',
    html: page(
      `${style('quill/dist/quill.snow.css')}<div id="e"></div>${script('quill/dist/quill.js')}<script>const q = new Quill(e, { theme: 'snow', modules: { toolbar: [['bold', 'italic'], [{ header: [1, 2, false] }]] } }); q.on('text-change', () => say(q.root.innerHTML))</script>`,
    ),
    cases: [
      {
        name: 'type',
        steps: [{ action: 'fill', target: css('.ql-editor'), text: 'Dear all' }],
        then: outputIs('<p>Dear all</p>'),
      },
      {
        name: 'press a shortcut, click its button',
        steps: [
          { action: 'fill', target: css('.ql-editor'), text: 'Dear all' },
          { action: 'press', key: 'ControlOrMeta+A' },
          { action: 'click', target: css('.ql-bold') },
        ],
        then: outputIs('<p><strong>Dear all</strong></p>'),
      },
    ],
  },
  {
    name: 'CodeMirror 5: code editor',
    by: 'widgets',
    html: page(
      `${style('codemirror/lib/codemirror.css')}<div id="e"></div>${script('codemirror/lib/codemirror.js')}<script>const cm = CodeMirror(e, { value: 'let a;', lineNumbers: true }); cm.on('change', () => say(cm.getValue()))</script>`,
    ),
    cases: [
      {
        name: 'click, press, type key by key',
        steps: [
          { action: 'click', target: css('.CodeMirror-lines') },
          { action: 'press', key: 'ControlOrMeta+A' },
          { action: 'type', target: css('.CodeMirror textarea'), text: 'const b = 1;', append: true },
        ],
        then: outputIs('const b = 1;'),
      },
    ],
  },
  {
    name: 'Tabulator: virtual table',
    by: 'widgets',
    html: page(
      `${style('tabulator-tables/dist/css/tabulator.css')}<div id="t"></div>${script('tabulator-tables/dist/js/tabulator.js')}<script>const table = new Tabulator('#t', { height: 300, data: Array.from({ length: 2000 }, (_, id) => ({ id, name: 'Name ' + id })), columns: [{ title: 'Number', field: 'id', sorter: 'number' }, { title: 'Name', field: 'name', editor: 'input' }] }); table.on('cellEdited', (cell) => say(cell.getValue()))</script>`,
    ),
    ready: '.tabulator-row',
    cases: [
      {
        name: 'scroll inside to its end',
        steps: [{ action: 'scroll', target: css('.tabulator-tableholder'), to: 'bottom' }],
        then: { visible: { css: '.tabulator-cell', hasText: 'Name 1999' } },
      },
      {
        name: 'click a header to sort',
        steps: [
          { action: 'click', target: { css: '.tabulator-col', hasText: 'Number' } },
          { action: 'click', target: { css: '.tabulator-col', hasText: 'Number' } },
        ],
        then: { visible: { css: '.tabulator-cell', hasText: 'Name 1999' } },
      },
      {
        name: 'click a cell, type, press Enter',
        steps: [
          { action: 'click', target: { text: 'Name 2', exact: true } },
          { action: 'fill', target: css('.tabulator-editing input'), text: 'Robin' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('Robin'),
      },
    ],
  },
  {
    name: 'Clusterize.js: virtual list',
    by: 'widgets',
    html: page(
      `<div id="s" style="height:200px;overflow:auto"><div id="c"></div></div>${script('clusterize.js/clusterize.js')}<script>new Clusterize({ rows: Array.from({ length: 20000 }, (_, n) => '<div onclick="say(this.textContent)" style="height:20px">Line ' + n + '</div>'), scrollId: 's', contentId: 'c' })</script>`,
    ),
    cases: [
      {
        name: 'scroll inside, click',
        steps: [
          { action: 'scroll', target: css('#s'), to: 'bottom' },
          { action: 'click', target: { text: 'Line 19999' } },
        ],
        then: outputIs('Line 19999'),
      },
    ],
  },
  {
    name: 'Jspreadsheet: spreadsheet',
    by: 'widgets',
    html: page(
      `${style('jsuites/dist/jsuites.css')}${style('jspreadsheet-ce/dist/jspreadsheet.css')}<div id="sheet"></div>${script('jsuites/dist/jsuites.js')}${script('jspreadsheet-ce/dist/index.js')}<script>jspreadsheet(sheet, { worksheets: [{ minDimensions: [3, 3] }], onchange: (_, __, x, y, value) => say(x + '/' + y + '=' + value) })</script>`,
    ),
    ready: 'td[data-x="1"][data-y="1"]',
    cases: [
      {
        name: 'double click, type, press Enter',
        steps: [
          { action: 'click', target: css('td[data-x="1"][data-y="1"]'), count: 2 },
          {
            action: 'type',
            target: css('td.editor input'),
            text: '42',
            append: true,
          },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('1/1=42'),
      },
    ],
  },
  {
    name: 'Leaflet: map',
    by: 'widgets',
    html: page(
      `${style('leaflet/dist/leaflet.css')}<div id="m" style="width:600px;height:400px"></div>${script('leaflet/dist/leaflet.js')}<script>const map = L.map(m, { zoomAnimation: false, inertia: false }).setView([53, 8], 8); L.marker([53, 8], { icon: L.divIcon({ className: 'pin', iconSize: [20, 20] }) }).addTo(map).on('click', () => say('pin')); map.on('zoomend', () => say('zoom ' + map.getZoom())); map.on('moveend', () => { if (map.getZoom() === 8 && Math.abs(map.getCenter().lng - 8) > 0.1) say('moved'); })</script>`,
    ),
    cases: [
      { name: 'click a pin', steps: [{ action: 'click', target: css('.pin') }], then: outputIs('pin') },
      {
        name: 'drag',
        steps: [{ action: 'drag', target: css('.pin'), by: { x: 150, y: 60 } }],
        then: outputIs('moved'),
      },
      { name: 'wheel', steps: [{ action: 'scroll', target: css('#m'), by: { y: -240 } }], then: outputIs('zoom') },
      { name: 'double click', steps: [{ action: 'click', target: css('#m'), count: 2 }], then: outputIs('zoom 9') },
    ],
  },
  {
    name: 'SweetAlert2: dialog',
    by: 'widgets',
    html: page(
      `<button onclick="Swal.fire({ title: 'Name?', input: 'text', showCancelButton: true }).then((r) => say(r.value))">Ask</button>${script('sweetalert2/dist/sweetalert2.all.js')}`,
    ),
    cases: [
      {
        name: 'click, type, click',
        steps: [
          { action: 'click', target: { text: 'Ask' } },
          { action: 'fill', target: { css: '.swal2-input' }, text: 'Robin' },
          { action: 'click', target: { role: 'button', name: 'OK' } },
        ],
        then: outputIs('Robin'),
      },
    ],
  },
  {
    name: 'Shoelace: components in shadow roots',
    by: 'widgets',
    html: page(
      `${style('@shoelace-style/shoelace/cdn/themes/light.css')}<script type="module" src="/npm/@shoelace-style/shoelace/cdn/shoelace.js"></script><sl-input label="Name"></sl-input><sl-checkbox>Agree</sl-checkbox><sl-switch>Lights</sl-switch><sl-select label="Drink" id="s"><sl-option value="t">Tea</sl-option><sl-option value="c">Coffee</sl-option></sl-select><sl-button>Send</sl-button><script>for (const type of ['sl-input', 'sl-change']) addEventListener(type, (e) => say(e.target.localName + ' ' + (e.target.checked ?? e.target.value))); document.querySelector('sl-button').onclick = () => say('sent')</script>`,
    ),
    ready: 'sl-button:defined',
    cases: [
      {
        name: 'type by label',
        steps: [{ action: 'fill', target: { label: 'Name' }, text: 'Robin' }],
        then: outputIs('sl-input Robin'),
      },
      {
        name: 'check',
        steps: [{ action: 'check', target: { role: 'checkbox', name: 'Agree' } }],
        then: outputIs('sl-checkbox true'),
      },
      {
        name: 'check a switch',
        steps: [{ action: 'check', target: { role: 'switch', name: 'Lights' } }],
        then: outputIs('sl-switch true'),
      },
      {
        name: 'click, click an option',
        steps: [
          { action: 'click', target: css('#s') },
          { action: 'click', target: { role: 'option', name: 'Coffee' } },
        ],
        then: outputIs('sl-select c'),
      },
      {
        name: 'click a button',
        steps: [{ action: 'click', target: { role: 'button', name: 'Send' } }],
        then: outputIs('sent'),
      },
    ],
  },
  {
    name: 'Swagger UI (React)',
    by: 'widgets',
    html: page(
      `${style('swagger-ui-dist/swagger-ui.css')}<div id="ui"></div>${script('swagger-ui-dist/swagger-ui-bundle.js')}<script>SwaggerUIBundle({ dom_id: '#ui', spec: { openapi: '3.0.3', info: { title: 'Orders', version: '1' }, paths: { '/orders': { get: { summary: 'All orders', parameters: [{ name: 'from', in: 'query', schema: { type: 'string' } }], responses: { 200: { description: 'Fine' } } } } } } })</script>`,
    ),
    ready: '.opblock',
    cases: [
      {
        name: 'click to open, click, type',
        steps: [
          { action: 'click', target: { css: '.opblock-summary-control', hasText: 'All orders' } },
          { action: 'click', target: { role: 'button', name: 'Try it out' } },
          { action: 'fill', target: { placeholder: 'from' }, text: 'Monday' },
          { action: 'extract', target: { placeholder: 'from' }, value: { pattern: '^Monday$' } },
        ],
        then: { visible: { role: 'button', name: 'Execute' } },
      },
    ],
  },
  {
    name: 'jQuery UI: accordion and tabs',
    by: 'theirs',
    path: jqueryUi,
    ready: '.ui-accordion-header-active',
    cases: [
      {
        name: 'click a section',
        steps: [{ action: 'click', target: { role: 'tab', name: 'Second', within: css('#accordion') } }],
        then: { visible: { css: '#accordion .ui-accordion-header-active', hasText: 'Second' } },
      },
      {
        name: 'click a tab',
        steps: [{ action: 'click', target: { role: 'tab', name: 'Third', within: css('#tabs') } }],
        then: { visible: css('#tabs-3') },
      },
    ],
  },
  {
    name: 'jQuery UI: slider and spinner',
    by: 'theirs',
    path: jqueryUi,
    ready: '.ui-slider-handle',
    cases: [
      {
        name: 'drag a handle',
        steps: [{ action: 'drag', target: { css: '#slider .ui-slider-handle', nth: 0 }, by: { x: 150 } }],
        then: { hidden: { css: '#slider .ui-slider-handle[style*="left: 17%"]' } },
      },
      {
        name: 'click a button of the spinner',
        steps: [
          { action: 'fill', target: css('#spinner'), text: '4' },
          { action: 'click', target: { css: '.ui-spinner-up', within: { css: '.ui-spinner:has(#spinner)' } } },
          { action: 'extract', target: css('#spinner'), value: { pattern: '^5$' } },
        ],
        then: { visible: css('#spinner[aria-valuenow="5"]') },
      },
    ],
  },
  {
    name: 'jQuery UI: autocomplete and selectmenu',
    by: 'theirs',
    path: jqueryUi,
    ready: '#selectmenu-button',
    cases: [
      {
        name: 'type, click a suggestion',
        steps: [
          { action: 'type', target: css('#autocomplete'), text: 'java' },
          { action: 'click', target: { css: '.ui-autocomplete .ui-menu-item', hasText: 'JavaScript' } },
          { action: 'extract', target: css('#autocomplete'), value: { pattern: '^JavaScript$' } },
        ],
        then: { hidden: css('.ui-autocomplete .ui-menu-item') },
      },
      {
        name: 'select',
        steps: [{ action: 'selectOption', target: css('#selectmenu-button'), option: 'Fast' }],
        then: { visible: { css: '#selectmenu-button', hasText: 'Fast' } },
      },
    ],
  },
  {
    name: 'jQuery UI: dialog and date picker',
    by: 'theirs',
    path: jqueryUi,
    ready: '.ui-datepicker td',
    cases: [
      {
        name: 'click a day',
        steps: [{ action: 'click', target: { css: '#datepicker td a', hasText: '15' } }],
        then: { visible: { css: '#datepicker a.ui-state-active', hasText: '15' } },
      },
      {
        name: 'click, drag the dialog, close it',
        steps: [
          { action: 'click', target: css('#dialog-link') },
          { action: 'drag', target: css('.ui-dialog-title'), by: { x: 80, y: 40 } },
          { action: 'click', target: { role: 'button', name: 'Ok', within: { role: 'dialog' } } },
        ],
        then: { hidden: css('.ui-dialog') },
      },
    ],
  },
];
