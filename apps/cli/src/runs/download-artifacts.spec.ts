import { fileNames } from './download-artifacts.ts';

test('names keep files apart and inside of the folder', () => {
  const names = ['a.png', 'A.png', '../../etc/passwd', '..', '.bashrc', 'x\\y\\z.txt', '', 'a.png'];
  const artifacts = names.map((name, index) => ({ id: `id-${index}`, name }));
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
