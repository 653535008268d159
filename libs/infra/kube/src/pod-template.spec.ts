import { readPodTemplate, templateHash } from './pod-template.ts';

const hash = (text: string) => templateHash(readPodTemplate(text));

test('the template hash depends on content, not on formatting', () => {
  const name = hash('spec: {containers: [{name: worker, image: a}], nodeSelector: {x: y}}');
  expect(name).toMatch(/^[0-9a-f]{10}$/);
  expect(hash('# later\nspec:\n  nodeSelector: {x: y}\n  containers:\n    - image: a\n      name: worker\n')).toBe(
    name,
  );
  expect(hash('spec: {containers: [{name: worker, image: b}], nodeSelector: {x: y}}')).not.toBe(name);
  // The order of a list counts.
  const two = (...images: string[]) => hash(`spec: {containers: [${images.map((i) => `{image: ${i}}`).join()}]}`);
  expect(two('a', 'b')).not.toBe(two('b', 'a'));
});

test.each([
  ['nothing', '', 'it is not a YAML mapping'],
  ['a list', '- a', 'it is not a YAML mapping'],
  ['no spec', 'metadata: {}', 'it has no spec'],
  ['no containers', 'spec: {containers: []}', 'its spec has no containers'],
])('a template that is %s is refused', (_, text, message) => {
  expect(() => readPodTemplate(text)).toThrow(message);
});
