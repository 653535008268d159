import { TestNamespace } from './chart-release.fixture.ts';
import { kubectlOutput, exampleFile, examples, kubectl, render } from './chart-tools.fixture.ts';

/** Kinds that are not Kubernetes' own: a cluster may lack them. */
const foreign = ['HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'];

describe('the API server accepts', () => {
  let space: TestNamespace;
  let knownKinds: Set<string>;
  beforeAll(async () => {
    space = await TestNamespace.create();
    knownKinds = new Set(
      (await kubectlOutput('api-resources', '--no-headers')).split('\n').map((line) => line.split(/\s+/).at(-1) ?? ''),
    );
  });
  afterAll(() => space?.end(), 60_000);

  test.each(['', ...examples])('all objects of the values %j, under Pod Security `restricted`', async (example) => {
    const rendered = await render(...(example ? ['-f', exampleFile(example)] : []));
    const documents = rendered.split(/^---$/m).filter((text) => /^kind: /m.test(text));
    const kindOf = (text: string) => /^kind: (\w+)$/m.exec(text)?.[1] ?? '';
    const unknownKinds = documents.map(kindOf).filter((kind) => !knownKinds.has(kind));
    expect(unknownKinds.filter((kind) => !foreign.includes(kind))).toEqual([]);
    const input = documents.filter((text) => knownKinds.has(kindOf(text))).join('\n---\n');
    const { ok, text } = await kubectl(['-n', space.name, 'apply', '--dry-run=server', '-f', '-'], { input });
    expect(text).not.toMatch(/violate|Warning/);
    expect({ ok, text: ok ? '' : text }).toEqual({ ok: true, text: '' });
  });

  test.each(['', 'fleets', 'openshift'])('the pods of each fleet of the values %j', async (example) => {
    const rendered = await render(...(example ? ['-f', exampleFile(example)] : []));
    const [configMap = ''] = rendered.split(/^---$/m).filter((text) => /^  name: x-pods$/m.test(text));
    const templates = [...configMap.matchAll(/^ {2}[\w-]+\.yaml: \|\n((?: {4}.*\n?|\n)*)/gm)].map(
      ([, text = '']) => text,
    );
    expect(templates.length).toBeGreaterThan(0);
    for (const [n, template] of templates.entries()) {
      const pod = template.replace(/^ {4}/gm, '').replace(/^metadata:$/m, `metadata:\n  name: worker-${n}`);
      // A class of priority is looked up when the pod is made.
      const input = `apiVersion: v1\nkind: Pod\n${pod.replace(/^ {2}priorityClassName: .*$/m, '')}`;
      const { ok, text } = await kubectl(['-n', space.name, 'apply', '--dry-run=server', '-f', '-'], { input });
      expect({ ok, text }).toEqual({ ok: true, text: expect.stringContaining('created') });
    }
  });
});
