import { click, openApp, press, saveAs, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';
import { pdfOf } from '../testing/pdf.fixture.ts';

const editor = 'org.xfce.mousepad';

/** Opens the print dialog of GTK 3, and selects its file printer. */
const printToFile = [press('Control+P'), untilTitle('Print'), click('gridcell', 'Print to File')];

/** Copies all text of the open document from the viewer into a new file of the editor. */
const saveCopiedText = (name: string) => [
  press('Control+A'),
  press('Control+C'),
  openApp(editor),
  untilTitle('Untitled'),
  press('Control+V'),
  press('Control+S'),
  ...saveAs(name),
  untilTitle(name),
];

desktopTasks(
  'printing and PDF (GTK 3)',
  ['mousepad', 'atril'],
  [
    {
      title: 'prints a text to a PDF under a name that is not ASCII, whose text the viewer copies',
      files: { 'bill.txt': 'Grüße: 4711 € – ёЖ' },
      steps: [
        openApp(editor, 'bill.txt'),
        ...printToFile,
        click('button', '~/output.pdf'),
        { action: 'fillFileDialog', path: 'größe.pdf' },
        untilTitle('Print'),
        click('button', 'Print'),
        { action: 'collectFile', path: 'größe.pdf' },
        openApp('atril', 'größe.pdf'),
        untilText('(1 of 1)'),
        ...saveCopiedText('copied.txt'),
      ],
      saved: { 'größe.pdf': /^%PDF-/, 'copied.txt': 'Grüße: 4711 € – ёЖ' },
    },
    {
      title: 'goes to a page of a document, and prints that page only',
      files: { 'report.pdf': pdfOf('Summary', 'Details', 'Sources') },
      steps: [
        openApp('atril', 'report.pdf'),
        untilText('(1 of 3)'),
        { action: 'fill', target: { role: 'textbox', name: 'page-label-entry' }, text: '2' },
        press('Enter'),
        untilText('(2 of 3)'),
        ...printToFile,
        click('radio', 'Current Page'),
        click('button', 'Print'),
        { action: 'collectFile', path: 'output.pdf' },
        openApp('atril', 'output.pdf'),
        untilText('(1 of 1)'),
        ...saveCopiedText('page.txt'),
      ],
      saved: { 'output.pdf': /\/Count 1\b/, 'page.txt': 'Details' },
    },
  ],
);
