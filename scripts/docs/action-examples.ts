import type { blockActions } from '@pilothouse/contract/workflow/control-flow.schema';
import type { stepActions } from '@pilothouse/contract/workflow/step.schema';

/** Example of an action, and notes that do not fit into its description. */
interface ActionExample {
  /** YAML of a list of steps. */
  yaml: string;
  notes?: string;
}

type DocumentedAction = (typeof stepActions)[number] | (typeof blockActions)[number];

/** Examples of all actions. The page `actions.md` shows them, and `workflow-examples.spec.ts` validates them there. */
export const actionExamples: Readonly<Record<DocumentedAction, ActionExample>> = {
  navigate: {
    yaml: "- action: navigate\n  url: '{{inputs.site_url}}/login'\n  expect: { title: Log in }",
  },
  goBack: { yaml: '- action: goBack' },
  goForward: { yaml: '- action: goForward' },
  reload: { yaml: '- action: reload\n  waitUntil: domcontentloaded' },
  switchTab: {
    yaml: '- action: switchTab\n  title: Invoice',
    notes: 'Give exactly one of `url`, `title` and `index`.',
  },
  closeTab: { yaml: '- action: closeTab' },
  handleDialog: {
    yaml: '- { action: handleDialog, accept: true }\n- { action: click, target: { role: button, name: Delete } }',
    notes: 'Without this step, an alert is accepted and a question declined.',
  },
  click: {
    yaml: '- action: click\n  target: { role: link, name: Rope }\n  modifiers: [ControlOrMeta]',
    notes:
      'If another element would receive the click, it is stopped and retried until the step times out. If the element moves away during the press and receives no click, the press is repeated up to twice. It is not repeated if the page has mouse or pointer handlers on or around the element: the effect of the step is then `unverifiable`. A click that starts a navigation has succeeded.',
  },
  hover: { yaml: '- action: hover\n  target: { role: menuitem, name: Products }' },
  drag: {
    yaml: '- action: drag\n  target: { text: Write the report }\n  to: { role: list, name: Done }\n- action: drag\n  target: { role: slider, name: Price }\n  by: { x: 120 }',
    notes:
      'Give exactly one of `to` and `by`. If another element would receive the drop, the drag is canceled and retried until the step times out.',
  },
  scroll: {
    yaml: '- { action: scroll, target: { text: Terms of supply } }\n- { action: scroll, to: bottom }',
  },
  fill: {
    yaml: "- action: fill\n  target: { label: E-mail }\n  text: '{{inputs.email}}'",
    notes: 'The field is [read back](targets.md#typed-text). A newline in a single-line field is refused.',
  },
  type: {
    yaml: "- action: type\n  target: { role: combobox, name: Search }\n  text: '{{inputs.query}}'\n  expect: { visible: { role: option, nth: 0 } }",
    notes: 'The field is [read back](targets.md#typed-text).',
  },
  clear: { yaml: '- action: clear\n  target: { label: Reference }' },
  press: { yaml: '- { action: press, key: ArrowDown, times: 3 }\n- { action: press, key: Enter }' },
  check: {
    yaml: '- action: check\n  target: { label: I accept the terms }',
    notes: 'The new state is verified.',
  },
  uncheck: { yaml: '- action: uncheck\n  target: { label: Newsletter }', notes: 'The new state is verified.' },
  selectOption: {
    yaml: '- action: selectOption\n  target: { label: Country }\n  option: Norway',
    notes:
      'A `<select>` below a styled list works, too. The choice is read back. If several options with different values have the same label, use `by: value` or `by: index`.',
  },
  readClipboard: {
    yaml: '- { action: click, target: { role: button, name: Copy } }\n- { id: code, action: readClipboard }',
    notes:
      'The step waits up to 5 seconds for a text, on a desktop up to 2 seconds, and fails if there is none. More: [the clipboard](browser.md#the-clipboard).',
  },
  writeClipboard: {
    yaml: '- { action: writeClipboard, text: Order 4711 }\n- { action: press, key: ControlOrMeta+V, target: { label: Note } }',
    notes: 'The text cannot contain a secret.',
  },
  upload: {
    yaml: "- action: upload\n  target: { label: Purchase order }\n  file: '{{inputs.purchase_order}}'",
  },
  download: {
    yaml: '- id: invoice\n  action: download\n  target: { role: link, name: Download PDF }',
    notes:
      'Files that other steps download are stored as well. The next step does not wait for them, the [end of the run](browser.md#tabs-dialogs-and-downloads) does.',
  },
  pdf: { yaml: '- action: pdf\n  label: invoice' },
  waitFor: { yaml: '- action: waitFor\n  condition: { text: Export finished }\n  timeout: 120' },
  wait: { yaml: '- { action: wait, seconds: 2 }' },
  assert: {
    yaml: '- action: assert\n  condition: { hidden: { text: Out of stock } }\n  message: The product is sold out',
  },
  checkCondition: {
    yaml: '- id: offer\n  action: checkCondition\n  condition: { text: Special offer }\n- action: screenshot\n  if: steps.offer.value',
  },
  extract: {
    yaml: "- id: products\n  action: extract\n  target: { css: '#products tbody tr' }\n  list: { sku: { css: .code }, price: { css: .price, type: number } }",
    notes: 'Types, tables and JSON: [read data](extract.md).',
  },
  observe: {
    yaml: '- { id: page, action: observe }\n- { action: click, target: { elementIndex: 4 } }',
    notes: 'The value is the [element list](../element-list.md) as text.',
  },
  screenshot: { yaml: '- action: screenshot\n  label: order-form\n  fullPage: true' },
  openApp: {
    yaml: '- { action: openApp, app: libreoffice-calc, args: [Documents/prices.ods] }',
    notes:
      'A worker can allow [further commands](../desktop-applications.md#further-commands), which are started by their name.',
  },
  switchWindow: {
    yaml: '- { action: switchWindow, app: mousepad }',
    notes: 'Give at least one of `app` and `window`.',
  },
  closeWindow: { yaml: '- { action: closeWindow, window: notes.txt }' },
  listWindows: { yaml: '- { id: windows, action: listWindows }' },
  setWindow: { yaml: '- { action: setWindow, app: mousepad, bounds: { x: 0, y: 30, width: 800 } }' },
  selectMenuItem: { yaml: "- { action: selectMenuItem, items: [File, 'Save As…'] }" },
  fillFileDialog: { yaml: '- { id: saved, action: fillFileDialog, path: Documents/prices.ods, overwrite: true }' },
  putFile: { yaml: "- { action: putFile, file: '{{inputs.sheet}}', path: Documents/prices.ods }" },
  collectFile: { yaml: "- { id: files, action: collectFile, glob: 'Documents/*.ods' }" },
  http: {
    yaml: "- id: stock\n  action: http\n  url: 'https://api.example/stock/{{inputs.sku}}'",
    notes: 'More: [send requests](http-and-parallel.md).',
  },
  parallel: {
    yaml: "- id: both\n  action: parallel\n  branches:\n    stock: { action: http, url: 'https://api.example/stock' }\n    news:\n      - { action: navigate, url: 'https://shop.example/news' }\n      - { id: title, action: extract, target: { css: h1 }, value: {} }",
    notes: 'More: [branches](http-and-parallel.md#send-several-requests-at-once).',
  },
  saveProfile: {
    yaml: '- { action: saveProfile, name: harbour }',
    notes: 'The value has `name`, `version` and `size`. More: [profiles](../../guides/profiles.md).',
  },
  goal: {
    yaml: '- id: cheapest\n  action: goal\n  goal: Find the cheapest mooring rope, and answer with its article number\n  outputSchema: { type: string }\n  maxTurns: 20',
    notes: 'It needs a [model](../../guides/models.md). More: [agents](../../concepts/agents.md).',
  },
  group: {
    yaml: '- action: group\n  if: { visible: { text: In stock } }\n  steps:\n    - { action: click, target: { role: button, name: Order } }\n  else:\n    - { action: click, target: { role: button, name: Notify me } }',
  },
  forEach: {
    yaml: "- action: forEach\n  in: ['RO-1001', 'RO-1002']\n  as: sku\n  steps:\n    - { action: navigate, url: '/products/{{vars.sku}}' }",
  },
  paginate: {
    yaml: "- id: pages\n  action: paginate\n  next: { role: link, name: Next }\n  steps:\n    - { id: rows, action: extract, target: { css: tbody tr }, list: { sku: { css: .code } } }\n  collect: '{{steps.rows.value}}'",
  },
  loop: {
    yaml: '- action: loop\n  until: { text: Export finished }\n  steps:\n    - { action: wait, seconds: 3 }\n    - { action: reload }',
  },
  try: {
    yaml: '- action: try\n  steps:\n    - { action: click, target: { role: button, name: Close offer } }\n  catch: []',
  },
  set: { yaml: '- action: set\n  vars: { low: [], count: size(inputs.names) }' },
  call: {
    yaml: "- action: call\n  workflow: log-in@3\n  inputs: { email: '{{inputs.email}}' }",
    notes: 'More: [call another workflow](control-flow.md#call-another-workflow).',
  },
};
