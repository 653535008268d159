import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { libreOfficeProfile } from '@pilothouse/testing/libreoffice-profile';
import { zipEntry } from '@pilothouse/testing/zip-entry';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { click, fill, openApp, press, saveAs, type, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

/** LibreOffice shows its window before it takes input. */
const untilLoaded = {
  action: 'waitFor' as const,
  condition: { enabled: { role: 'button', name: 'Export Directly as PDF' } },
};

const example = parseWorkflow(
  readFileSync(join(import.meta.dirname, '../../../../docs/examples/price-sheet.yaml'), 'utf8'),
  { file: 'price-sheet.yaml' },
);

desktopTasks(
  'the example of the documentation',
  ['localc'],
  [
    {
      title: example.title ?? example.name,
      steps: example.steps,
      output: example.output,
      returns: { total: '50' },
      saved: { 'prices.ods': (content) => expect(zipEntry(content, 'content.xml')).toContain('office:value="50"') },
    },
  ],
);

desktopTasks(
  'LibreOffice Writer',
  ['lowriter'],
  [
    {
      title: 'writes special characters and saves the document',
      steps: [
        openApp('libreoffice-writer'),
        untilLoaded,
        type('Grüße ñ ёЖ 日本 €'),
        press('Control+S'),
        ...saveAs('brief ö.odt', 'Save'),
        untilTitle('brief ö.odt'),
      ],
      saved: { 'brief ö.odt': (content) => expect(zipEntry(content, 'content.xml')).toContain('Grüße ñ ёЖ 日本 €') },
    },
    {
      title: 'exports a document as PDF',
      steps: [
        openApp('libreoffice-writer'),
        untilLoaded,
        type('Invoice 4711'),
        click('button', 'Export Directly as PDF'),
        { action: 'fillFileDialog', path: 'invoice.pdf' },
        { action: 'collectFile', path: 'invoice.pdf' },
      ],
      saved: { 'invoice.pdf': /^%PDF-1\.\d[^]*\/Count 1\b/ },
    },
    {
      title: 'replaces words in lines that were typed, by the labels of the dialog',
      steps: [
        openApp('libreoffice-writer'),
        untilLoaded,
        type('Red car\nRed house\n\nEnd'),
        press('Control+H'),
        untilTitle('Find'),
        fill('Find', 'Red'),
        // The button "Replace" and the box "Replace backwards" have the same word.
        fill('Replace', 'Blue'),
        click('button', 'Replace All'),
        untilText('replaced 2 times'),
        press('Escape'),
        { action: 'switchWindow', window: 'LibreOffice Writer' },
        press('Control+S'),
        ...saveAs('lines.odt', 'Save'),
        untilTitle('lines.odt'),
      ],
      saved: {
        'lines.odt': (content) =>
          expect(zipEntry(content, 'content.xml').replace(/<[^>]*>/g, '|')).toMatch(/Blue car\|+Blue house\|+End/),
      },
    },
  ],
  libreOfficeProfile,
);

desktopTasks(
  'LibreOffice Calc',
  ['localc'],
  [
    {
      title: 'answers the import dialog of a list, sorts it, and saves it in its format',
      files: { 'list.csv': 'name,amount\nbeta,30\nÄpfel,7\nalpha,12\n' },
      steps: [
        openApp('libreoffice-calc', 'list.csv'),
        untilTitle('Text Import'),
        click('button', 'OK'),
        untilLoaded,
        { action: 'click', target: { role: 'gridcell', name: 'A2', exact: true } },
        click('button', 'Sort Ascending'),
        press('Control+S'),
        untilTitle('Confirm File Format'),
        click('button', 'Use Text CSV Format'),
        untilTitle('list.csv'),
        { action: 'waitFor', condition: { enabled: { role: 'button', name: 'Export Directly as PDF' } } },
      ],
      saved: { 'list.csv': 'name,amount\nalpha,12\nÄpfel,7\nbeta,30\n' },
    },
  ],
  libreOfficeProfile,
);
