import { fileNames } from './download-artifacts.ts';

test('names keep files apart and inside of the folder', () => {
  const names = ['a.png', 'A.png', '../../etc/passwd', '..', '.bashrc', 'x\\y\\z.txt', '', 'a.png'];
  const artifacts = names.map((name, index) => ({ id: `id-${index}`, name, kind: 'download' as const, step: null }));
  expect([...fileNames(artifacts).values()]).toEqual([
    'a.png',
    'A-2.png',
    'passwd',
    'id-3',
    'bashrc',
    'z.txt',
    'id-6',
    'a-3.png',
  ]);
});

test('names of screenshots begin with the numbers of their steps, and sort in step order', () => {
  const stored = [
    [0, '1', '01-navigate.jpg'],
    [1, '2[1]/1', '02[001]-01-click.jpg'],
    [2, '2[9]/1', '02[009]-01-2024.jpg'],
    [3, '2[1000]/1', '02[1000]-01-click-failed.jpg'],
    [4, '3/catch/1', '03-catch-1-click.jpg'],
    [5, '10', 'front page.jpg'],
    [6, '100', '100-click.jpg'],
  ] as const;
  const artifacts = stored.map(([step, , name]) => ({ id: name, name, kind: 'screenshot' as const, step }));
  const steps = stored.map(([index, label]) => ({ index, path: 'id', label }));
  const names = [...fileNames(artifacts, steps).values()];
  expect(names).toEqual([
    '001-navigate.jpg',
    '002[0001]-001-click.jpg',
    '002[0009]-001-2024.jpg',
    '002[1000]-001-click-failed.jpg',
    '003-catch-001-click.jpg',
    '010-front page.jpg',
    '100-click.jpg',
  ]);
  expect(names.toSorted()).toEqual(names);
  expect([...fileNames(artifacts).values()][5]).toBe('front page.jpg');
});
