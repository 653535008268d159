import { workerNodeOptions } from '@pilothouse/infra-config';
import { chart, exampleFile, examples, helm, ofKind, render } from './chart-tools.fixture.ts';

/** The pod template of a fleet, as it lies in the ConfigMap for the controller. */
const templateOf = (rendered: string, fleet: string) => {
  const [configMap = ''] = ofKind(rendered, 'ConfigMap').filter((text) => text.includes('name: x-pods'));
  return new RegExp(`^  ${fleet}\\.yaml: \\|\\n((?:    .*\\n?|\\n)*)`, 'm').exec(configMap)?.[1] ?? '';
};
const policies = (rendered: string) =>
  new Map(ofKind(rendered, 'NetworkPolicy').map((text) => [/^ {2}name: (.*)$/m.exec(text)?.[1], text]));

describe('the chart', () => {
  test.each(['', ...examples])('is well formed with the values %j', async (example) => {
    const args = example ? ['-f', exampleFile(example)] : [];
    expect(await helm(['lint', '--strict', chart, ...args])).toMatchObject({ ok: true });
    expect(await render(...args)).toContain('kind: Deployment');
  });

  test('bundles the stores by default, and no store with external ones', async () => {
    const stores = (text: string) =>
      ofKind(text, 'StatefulSet').map((manifest) => /^ {2}name: (.*)$/m.exec(manifest)?.[1]);
    expect(stores(await render()).sort()).toEqual(['x-objects', 'x-postgresql', 'x-redis']);
    const withExternalStores = await render('-f', exampleFile('external-stores'));
    expect(stores(withExternalStores)).toEqual([]);
    expect(withExternalStores).not.toMatch(/x-(postgresql|redis|objects)/);
    expect(withExternalStores).toContain(
      '{"name":"DATABASE_URL","valueFrom":{"secretKeyRef":{"key":"url","name":"pilothouse-database"}}}',
    );
    expect(withExternalStores).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('creates a pod template, a token and a policy for each fleet, and none for a removed one', async () => {
    const rendered = await render('-f', exampleFile('fleets'));
    for (const fleet of ['browser', 'urgent', 'intranet']) {
      expect(templateOf(rendered, fleet)).toContain(`pilothouse.dev/fleet: ${fleet}`);
      expect(rendered).toMatch(new RegExp(`^ {2}fleet-${fleet}: `, 'm'));
      expect(policies(rendered).has(`x-worker-${fleet}`)).toBe(true);
    }
    const { PILOTHOUSE_FLEETS: list = '' } =
      /"name":"(?<name>PILOTHOUSE_FLEETS)","value":(?<PILOTHOUSE_FLEETS>".*")\}$/m.exec(rendered)?.groups ?? {};
    expect(JSON.parse(JSON.parse(list) as string)).toEqual([
      expect.objectContaining({
        name: 'browser',
        slots: 2,
        minWorkers: 0,
        maxWorkers: 200,
        idleSlots: 8,
        cooldownSeconds: 300,
      }),
      expect.objectContaining({ name: 'desktop', surface: 'desktop', slots: 1, minWorkers: 0, idleSlots: 0 }),
      expect.objectContaining({ name: 'intranet', maxWorkers: 5, idleSlots: 0, token: '$(PILOTHOUSE_TOKEN_INTRANET)' }),
      expect.objectContaining({ name: 'urgent', slots: 1, minWorkers: 2, projects: ['support'] }),
    ]);
    const without = await render('--set', 'fleets.browser=null', '--set', 'fleets.other.maxWorkers=1');
    expect(without).not.toContain('browser.yaml');
    expect(templateOf(without, 'other')).toContain('pilothouse.dev/fleet: other');
  });

  test('configures sign-in with an OIDC provider, with its Secret', async () => {
    const set = (...values: string[]) => values.flatMap((value) => ['--set-json', value]);
    expect(await render()).not.toContain('PILOTHOUSE_OIDC');
    const issuer = 'oidc.issuer="https://id.example.com"';
    const wrong = await helm(['template', 'x', chart, ...set(issuer)]);
    expect([wrong.ok, wrong.text]).toEqual([false, expect.stringContaining('oidc.existingSecret')]);
    const roles = 'oidc.roleMappings=[{"claim":"groups","value":"pilots","project":"default","role":"operator"}]';
    const rendered = await render(
      ...set(issuer, roles, 'oidc.existingSecret="idp"', 'oidc.allowedEmailDomains=["example.com","example.org"]'),
      ...['--set', 'ingress.enabled=true', '--set', 'ingress.host=fleet.example.com'],
    );
    const [api = ''] = ofKind(rendered, 'Deployment').filter((text) => text.includes('name: x-api'));
    expect(api).toContain(
      '{"name":"PILOTHOUSE_OIDC_CLIENT_SECRET","valueFrom":{"secretKeyRef":{"key":"client-secret","name":"idp"}}}',
    );
    expect(api).toContain('{"name":"PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS","value":"example.com,example.org"}');
    expect(api).toContain(
      String.raw`[{\"claim\":\"groups\",\"project\":\"default\",\"role\":\"operator\",\"value\":\"pilots\"}]`,
    );
    expect(api).toContain('{"name":"PILOTHOUSE_CONSOLE_URL","value":"http://fleet.example.com"}');
    // The Ingress is a proxy before API and console.
    expect(rendered.match(/"name":"PILOTHOUSE_PROXY_COUNT","value":"1"/g)).toHaveLength(2);
    expect(rendered.match(/PILOTHOUSE_OIDC_CLIENT_SECRET/g)).toHaveLength(
      api.match(/PILOTHOUSE_OIDC_CLIENT_SECRET/g)?.length ?? 0,
    );
  });

  test('gives the job runner rights for its trainers, and none without them', async () => {
    const withoutTrainers = await render();
    const jobsOf = (text: string) =>
      ofKind(text, 'Deployment').find((manifest) => manifest.includes('name: x-jobs')) ?? '';
    expect(jobsOf(withoutTrainers)).toContain('automountServiceAccountToken: false');
    expect(withoutTrainers).not.toContain('PILOTHOUSE_TRAINERS_FILE');
    expect(ofKind(withoutTrainers, 'Role').some((text) => text.includes('x-jobs'))).toBe(false);
    const containers = [{ name: 'trainer', image: 'trainer:1', args: ['$(PILOTHOUSE_BASE_MODEL)'] }];
    const job = { name: 'rope', kind: 'Job', template: { spec: { template: { spec: { containers } } } } };
    const rendered = await render('--set-json', `jobs.trainers=${JSON.stringify([job])}`);
    expect(jobsOf(rendered)).toContain('automountServiceAccountToken: true');
    expect(jobsOf(rendered)).toContain('serviceAccountName: x-jobs');
    const file = /^ {2}trainers\.json: (".*")$/m.exec(rendered)?.[1] ?? '';
    expect(JSON.parse(JSON.parse(file) as string)).toEqual([job]);
    const role = ofKind(rendered, 'Role').find((text) => text.includes('x-jobs')) ?? '';
    expect(role.match(/resources: \[.*\]/g)).toEqual([
      'resources: [jobs], verbs: [get, create, delete]',
      'resources: [pods], verbs: [list]',
      'resources: [pods/log], verbs: [get]',
    ]);
    expect(policies(rendered).get('x-objects')).toContain('"key":"pilothouse.dev/trainer","operator":"Exists"');
    expect(policies(withoutTrainers).get('x-objects')).not.toContain('pilothouse.dev/trainer');
  });

  test('gives workers no fleet token, and lets the controller create Secrets but read none', async () => {
    const rendered = await render();
    const worker = templateOf(rendered, 'browser');
    expect(worker).not.toMatch(/FLEET_TOKEN|secretKeyRef|secretName/);
    const controller = ofKind(rendered, 'Deployment').find((text) => text.includes('name: x-fleet\n')) ?? '';
    expect(controller).toContain('PILOTHOUSE_FLEET_DRIVER');
    expect(controller).not.toMatch(/PILOTHOUSE_FLEETS|PILOTHOUSE_TOKEN|x-keys/);
    const role = ofKind(rendered, 'Role').find((text) => text.includes('x-fleet')) ?? '';
    expect(role.match(/resources: \[secrets\].*\]/g)).toEqual(['resources: [secrets], verbs: [create]']);
  });

  test('passes externalWorkers of a fleet to the API; the default is false', async () => {
    const rendered = await render('--set', 'fleets.desktop.externalWorkers=true');
    const flags = [...rendered.matchAll(/\\"externalWorkers\\":(\w+)/g)].map(([, value]) => value);
    expect(flags).toEqual(['false', 'true']);
    await expect(render('--set', 'fleets.desktop.externalWorkers=maybe')).rejects.toThrow('externalWorkers');
  });

  test('gives the destinations of exports to API and job runner, and their keys to the job runner only', async () => {
    const destination = { kind: 's3', bucket: 'training', endpoint: 'https://s3.example.com', existingSecret: 'keys' };
    const rendered = await render('--set-json', `jobs.destinations=${JSON.stringify({ 'my-s3': destination })}`);
    const podOf = (name: string) =>
      ofKind(rendered, 'Deployment').find((manifest) => manifest.includes(`name: x-${name}\n`)) ?? '';
    for (const name of ['api', 'jobs']) {
      const value = /"PILOTHOUSE_EXPORT_DESTINATIONS","value":(".*")\}/.exec(podOf(name))?.[1] ?? '""';
      const { existingSecret, ...config } = destination;
      expect(JSON.parse(JSON.parse(value) as string)).toEqual({ 'my-s3': config });
      expect(podOf(name).includes(`"key":"access-key","name":"${existingSecret}"`)).toBe(name === 'jobs');
    }
    expect(podOf('jobs')).toContain('"name":"DESTINATION_MY_S3_SECRET_KEY"');
  });

  test('gives the allowed sources of tuning jobs to the API', async () => {
    const sources = ['gs://harbour/examples/', 's3://training/'];
    const rendered = await render('--set-json', `jobs.tuningSources=${JSON.stringify(sources)}`);
    expect(rendered).toContain('{"name":"PILOTHOUSE_TUNING_SOURCES","value":"gs://harbour/examples/,s3://training/"}');
    await expect(render('--set', 'jobs.tuningSources[0]=gs://harbour/examples')).rejects.toThrow('tuningSources');
  });

  test('keeps the log of a finished test for `helm test --logs`', async () => {
    const [pod = ''] = ofKind(await render(), 'Pod');
    expect(pod).toMatch(/hook-delete-policy: before-hook-creation \}/);
  });

  test('gives the allowed origins to the API, none by default', async () => {
    expect(await render()).not.toContain('PILOTHOUSE_CORS_ORIGINS');
    const rendered = await render('--set-json', 'api.corsOrigins=["https://app.example.com","http://localhost:5173"]');
    expect(rendered).toContain(
      '{"name":"PILOTHOUSE_CORS_ORIGINS","value":"https://app.example.com,http://localhost:5173"}',
    );
  });

  test('applies the settings of a fleet to its pods', async () => {
    const template = templateOf(await render('-f', exampleFile('fleets')), 'intranet');
    expect(template).toContain('"name":"TZ","value":"Europe/Berlin"');
    expect(template).toContain('{"configMap":{"name":"corporate-fonts"},"name":"fonts"}');
    expect(template).toContain('requiredDuringSchedulingIgnoredDuringExecution');
    expect(template).toContain('topologySpreadConstraints');
    expect(template).toContain('{"name":"PILOTHOUSE_DRAIN_GRACE_SECONDS","value":"90"}');
    // Longer than the worker takes.
    expect(template).toContain('terminationGracePeriodSeconds: 110');
    expect(template).toContain('restartPolicy: Never');
  });

  test.each([99, 100])('sets the NODE_OPTIONS of a local worker for a worker with %i slots', async (slots) => {
    const template = templateOf(await render('--set', `fleetDefaults.slotsPerWorker=${slots}`), 'browser');
    expect(template).toContain(`{"name":"PILOTHOUSE_SLOTS","value":"${slots}"}`);
    const environment = /\{"name":"NODE_OPTIONS","value":"(?<NODE_OPTIONS>[^"]*)"\}/.exec(template)?.groups ?? {};
    expect({ ...environment }).toEqual(workerNodeOptions(slots));
  });

  test('runs workers under the seccomp profile that Chromium’s sandbox needs', async () => {
    const fleets = JSON.stringify({
      shared: {
        chromiumSandbox: 'on',
        seccompProfile: { type: 'Localhost', localhostProfile: 'chromium.json' },
      },
      open: { seccompProfile: { type: 'Unconfined' } },
    });
    const rendered = await render('--set-json', `fleets=${fleets}`);
    const shared = templateOf(rendered, 'shared');
    expect(shared).toContain('seccompProfile: {"localhostProfile":"chromium.json","type":"Localhost"}');
    expect(shared).toContain('{"name":"PILOTHOUSE_CHROMIUM_SANDBOX","value":"on"}');
    expect(templateOf(rendered, 'open')).toContain('seccompProfile: {"type":"Unconfined"}');
    const standard = templateOf(rendered, 'browser');
    expect(standard).toContain('seccompProfile: {"type":"RuntimeDefault"}');
    expect(standard).toContain('{"name":"PILOTHOUSE_CHROMIUM_SANDBOX","value":"auto"}');
  });

  test('gives a desktop its image, a folder in memory for screenshots, and no more rights than a browser', async () => {
    const rendered = await render();
    const template = templateOf(rendered, 'desktop');
    expect(template).toMatch(/image: pilothouse\/worker-desktop:\d/);
    expect(template).toContain('{"name":"PILOTHOUSE_SURFACE","value":"desktop"}');
    expect(template).toContain('"limits":{"memory":"1Gi"}');
    for (const line of [
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
      'seccompProfile: {"type":"RuntimeDefault"}',
      '- { name: shm, mountPath: /dev/shm }',
      '- { name: tmp, mountPath: /tmp }',
    ])
      expect(template).toContain(line);
    expect(template).not.toContain('PILOTHOUSE_CHROMIUM_SANDBOX');
    const ofFleet = (fleet: string) => policies(rendered).get(`x-worker-${fleet}`)?.replaceAll(fleet, 'F');
    expect(ofFleet('desktop')).toBe(ofFleet('browser'));
  });

  test('runs each desktop session in a container without a token, with another user and its own folders', async () => {
    const fleets = { desktop: { surface: 'desktop', slotsPerWorker: 2 } };
    const rendered = await render('--set-json', `fleets=${JSON.stringify(fleets)}`);
    const template = templateOf(rendered, 'desktop');
    const [, slots = ''] = template.split('initContainers:');
    const [first = '', second = '', worker = ''] = slots.split(/- name: (?:slot-1|worker)\n/);
    for (const [number, slot] of [first, second].entries()) {
      expect(slot).toContain('restartPolicy: Always');
      expect(slot).toContain(
        `dist/worker/desktop-slot.js, /run/pilothouse/slot-${number}/worker.sock, /home/desktop, /tmp, /dev/shm]`,
      );
      expect(slot).toContain(`{ name: slot-${number}, mountPath: /run/pilothouse/slot-${number}, readOnly: true }`);
      expect(slot).toContain(`runAsUser: ${10_101 + number}`);
      expect(slot).toContain('readOnlyRootFilesystem: true');
      expect(slot).toContain('capabilities: { drop: [ALL] }');
      expect(slot).toContain('"limits":{"memory":"3Gi"}');
      expect(slot).not.toContain('TOKEN');
      expect(slot).not.toContain(`slot-${1 - number},`);
    }
    expect(worker).toContain('PILOTHOUSE_GATEWAY_URL');
    for (const number of [0, 1])
      expect(worker).toContain(`{ name: slot-${number}, mountPath: /run/pilothouse/slot-${number} }`);
    expect(template).not.toContain('shareProcessNamespace');
    expect(templateOf(await render(), 'browser')).not.toContain('slot-');
  });

  test('mounts the volumes of a fleet read-only in its slots, which remove the files of their user', async () => {
    const volumeMounts = [
      { name: 'data', mountPath: '/data' },
      { name: 'fonts', mountPath: '/fonts', readOnly: false },
    ];
    const fleets = { desktop: { surface: 'desktop', volumeMounts } };
    const template = templateOf(await render('--set-json', `fleets=${JSON.stringify(fleets)}`), 'desktop');
    const [slot = '', worker = ''] = template.split('initContainers:')[1]?.split(/- name: worker\n/) ?? [];
    expect(slot).toContain('{"mountPath":"/data","name":"data","readOnly":true}');
    expect(slot).toContain('{"mountPath":"/fonts","name":"fonts","readOnly":true}');
    expect(worker).toContain('{"mountPath":"/data","name":"data"}');
  });

  test('refuses several slots of a pod that has one user', async () => {
    const fleets = { desktop: { surface: 'desktop', slotsPerWorker: 2 } };
    const args = ['--set', 'podUser=platform', '--set-json', `fleets=${JSON.stringify(fleets)}`];
    await expect(render(...args)).rejects.toThrow('fleets.desktop: set slotsPerWorker to 1');
  });

  test('spreads the pods of each version over the nodes: old pods of a rolling update do not count', async () => {
    const deployments = ofKind(await render(), 'Deployment');
    for (const component of ['api', 'console', 'fleet', 'jobs']) {
      const manifest = deployments.find((text) => text.includes(`\n  name: x-${component}\n`)) ?? '';
      const [, constraint = ''] = /topologySpreadConstraints:\n\s+- (\{.*\})$/m.exec(manifest) ?? [];
      expect(JSON.parse(constraint)).toEqual({
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        matchLabelKeys: ['pod-template-hash'],
        labelSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': component }) },
      });
    }
  });

  test('removes an API pod from its Service for the database only, and restarts no pod for a dependency', async () => {
    const probes = [...(await render()).matchAll(/(\w+)Probe: \{ httpGet: \{ path: (\/\w+), port: (?:http|metrics)/g)];
    const paths = (kind: string) => new Set(probes.filter(([, name]) => name === kind).map(([, , path]) => path));
    // /readyz answers 200 without Redis and object store; /healthz has no dependency.
    expect(paths('readiness')).toEqual(new Set(['/readyz', '/healthz']));
    expect([paths('startup'), paths('liveness')]).toEqual([new Set(['/healthz']), new Set(['/healthz'])]);
  });

  test('runs helm test on the first unrestricted desktop fleet', async () => {
    const desktopOfTest = async (...args: string[]) =>
      /args: \[node, \/test\/run\.mjs, .*, "(.*)"\]$/m.exec(ofKind(await render(...args), 'Pod')[0] ?? '')?.[1];
    expect(await desktopOfTest()).toBe('desktop');
    expect(await desktopOfTest('--set', 'tests.desktop=false')).toBe('');
    expect(await desktopOfTest('--set', 'fleets.desktop=null')).toBe('');
    expect(await desktopOfTest('--set', 'fleets.desktop.maxWorkers=0')).toBe('');
    const fleets = { desktop: { surface: 'desktop', projects: ['a'] }, office: { surface: 'desktop' } };
    expect(await desktopOfTest('--set-json', `fleets=${JSON.stringify(fleets)}`)).toBe('office');
  });

  test('passes the trusted CAs of a fleet to its workers', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const fleets = JSON.stringify({ inside: { egress: { trustedCa: pem } } });
    const rendered = await render('--set-json', `fleets=${fleets}`);
    expect(templateOf(rendered, 'inside')).toContain(JSON.stringify({ name: 'PILOTHOUSE_EXTRA_CA_CERTS', value: pem }));
    expect(templateOf(rendered, 'browser')).not.toContain('PILOTHOUSE_EXTRA_CA_CERTS');
    const wrong = await helm(['template', 'x', chart, '--set', 'fleetDefaults.egress.trustedCa=corp.pem']);
    expect(wrong.ok).toBe(false);
  });

  test('gives model keys only to API and job runner', async () => {
    const values = [
      ...['--set', 'models.existingSecret=our-models', '--set', 'models.callsPerMinute=600'],
      ...['--set', 'models.default=gemini/gemini-2.5-flash\\,openai/gpt-5-mini'],
      ...['--set', 'models.baseUrls.openai=http://vllm:8000/v1'],
    ];
    const rendered = await render(...values);
    const deployments = ofKind(rendered, 'Deployment');
    const callers = deployments.filter((text) => /_API_KEY|PILOTHOUSE_MODEL/.test(text));
    expect(callers.map((text) => /^ {2}name: (.*)$/m.exec(text)?.[1])).toEqual(['x-api', 'x-jobs']);
    const [api = ''] = callers;
    expect(templateOf(rendered, 'browser')).not.toMatch(/_API_KEY|our-models/);
    expect(api.slice(0, api.indexOf('dist/api/main.js'))).not.toContain('our-models');
    for (const caller of callers)
      for (const provider of ['gemini', 'openai', 'anthropic'])
        expect(caller).toContain(
          `{"name":"${provider.toUpperCase()}_API_KEY","valueFrom":{"secretKeyRef":{"key":"${provider}","name":"our-models","optional":true}}}`,
        );
    for (const variable of [
      '{"name":"PILOTHOUSE_MODEL","value":"gemini/gemini-2.5-flash,openai/gpt-5-mini"}',
      '{"name":"PILOTHOUSE_MODEL_CALLS_PER_MINUTE","value":"600"}',
      '{"name":"OPENAI_BASE_URL","value":"http://vllm:8000/v1"}',
    ])
      for (const caller of callers) expect(caller).toContain(variable);
    expect(await render()).not.toMatch(/_API_KEY|_BASE_URL|PILOTHOUSE_MODEL/);
  });

  test('configures the screen parser at the API only', async () => {
    const rendered = await render('--set', 'models.screenParser.url=http://omniparser:8000');
    const variable = '{"name":"PILOTHOUSE_SCREEN_PARSER_URL","value":"http://omniparser:8000"}';
    const users = ofKind(rendered, 'Deployment').filter((text) => text.includes(variable));
    expect(users.map((text) => /^ {2}name: (.*)$/m.exec(text)?.[1])).toEqual(['x-api']);
    expect(users[0]).toContain('{"name":"PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS","value":"10000"}');
    expect(users[0]).toContain('{"name":"PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS","value":"3600"}');
    expect(await render()).not.toContain('SCREEN_PARSER');
  });

  test('configures further model endpoints, each with a key in the same Secret', async () => {
    const endpoints = {
      'my-vllm': { baseUrl: 'http://vllm:8000/v1', callsPerMinute: 30 },
      work: { protocol: 'anthropic' },
    };
    const entries = { 'my-vllm/*': { dialect: 'ui-tars', price: { input: 0.5, output: 2 } } };
    const rendered = await render(
      ...['--set', 'models.existingSecret=our-models', '--set', 'models.default=my-vllm/gui'],
      ...['--set-json', `models.endpoints=${JSON.stringify(endpoints)}`],
      ...['--set-json', `models.overrides=${JSON.stringify(entries)}`],
    );
    const [api = ''] = ofKind(rendered, 'Deployment').filter((text) => /^ {2}name: x-api$/m.test(text));
    for (const [variable, key] of [
      ['MY_VLLM_API_KEY', 'my-vllm'],
      ['WORK_API_KEY', 'work'],
    ])
      expect(api).toContain(
        `{"name":"${variable}","valueFrom":{"secretKeyRef":{"key":"${key}","name":"our-models","optional":true}}}`,
      );
    const valueOf = (name: string) =>
      JSON.parse(
        new RegExp(`\\{"name":"${name}","value":("(?:[^"\\\\]|\\\\.)*")\\}`).exec(api)?.[1] ?? 'null',
      ) as string;
    expect(JSON.parse(valueOf('PILOTHOUSE_MODEL_ENDPOINTS'))).toEqual(endpoints);
    expect(JSON.parse(valueOf('PILOTHOUSE_MODEL_OVERRIDES'))).toEqual(entries);
  });

  test('configures Vertex AI with workload identity or a key file, and streaming', async () => {
    const vertex = ['--set', 'models.vertex.project=harbour', '--set', 'models.vertex.location=europe-west4'];
    const asPod = await render(...vertex, '--set', 'models.streaming=true');
    for (const variable of [
      '{"name":"GEMINI_VERTEX_PROJECT","value":"harbour"}',
      '{"name":"GEMINI_VERTEX_LOCATION","value":"europe-west4"}',
      '{"name":"PILOTHOUSE_MODEL_STREAMING","value":"true"}',
    ])
      expect(asPod).toContain(variable);
    expect(asPod).not.toMatch(/VERTEX_KEY_FILE|\/etc\/pilothouse\/vertex/);

    const key = ['--set', 'models.vertex.keyFromSecret=true'];
    const withKey = await render(...vertex, ...key, '--set', 'models.existingSecret=our-models');
    const callers = ofKind(withKey, 'Deployment').filter((text) => text.includes('vertex'));
    expect(callers).toHaveLength(2);
    for (const caller of callers) {
      expect(caller).toContain('{"name":"GEMINI_VERTEX_KEY_FILE","value":"/etc/pilothouse/vertex/key.json"}');
      expect(caller.match(/mountPath: \/etc\/pilothouse\/vertex,/g)).toHaveLength(1);
      expect(caller).toContain('secretName: our-models, defaultMode: 0440, items: [{ key: vertex, path: key.json }]');
    }
    await expect(render(...vertex, ...key)).rejects.toThrow(/models\.existingSecret: name a Secret/);
  });

  test('lets a value override a variable of the chart, once', async () => {
    const rendered = await render('--set-json', 'api.extraEnv=[{"name":"LOG_LEVEL","value":"debug"}]');
    const [api = ''] = ofKind(rendered, 'Deployment').filter((text) => text.includes('name: x-api'));
    const container = api.slice(api.indexOf('dist/api/main.js'));
    expect(container.match(/"name":"LOG_LEVEL","value":"\w+"/g)).toEqual(['"name":"LOG_LEVEL","value":"debug"']);
  });

  test('installs a job runner that scales to zero, is left to an autoscaler, or is left out', async () => {
    const jobsOf = (rendered: string) =>
      ofKind(rendered, 'Deployment').find((text) => /^ {2}name: x-jobs$/m.test(text)) ?? '';
    const usual = await render('--set', 'monitoring.podMonitor=true,jobs.concurrency=5');
    expect(jobsOf(usual)).toContain('replicas: 1');
    expect(jobsOf(usual)).toContain('{"name":"PILOTHOUSE_JOBS_CONCURRENCY","value":"5"}');
    expect(jobsOf(usual)).toContain('runAsNonRoot: true');
    // No key of the vault, and no admin key.
    expect(jobsOf(usual)).not.toMatch(/MASTER_KEY|ADMIN_KEY|fleet-browser/);
    for (const kind of ['PodMonitor', 'NetworkPolicy'])
      expect(ofKind(usual, kind).filter((text) => /^ {2}name: x-jobs$/m.test(text))).toHaveLength(1);
    expect(jobsOf(await render('--set', 'jobs.replicas=0'))).toContain('replicas: 0');
    expect(jobsOf(await render('--set', 'jobs.replicas=null'))).not.toContain('replicas:');
    const without = await render('--set', 'monitoring.podMonitor=true,jobs.enabled=false');
    expect(without).not.toContain('name: x-jobs');
  });

  test('gives a service account token only to the controller, with rights only in its namespace', async () => {
    const rendered = await render('--set', 'demo.enabled=true');
    const pods = ['Deployment', 'StatefulSet', 'Pod'].flatMap((kind) => ofKind(rendered, kind));
    expect(pods).toHaveLength(9);
    const withToken = pods.filter((text) => text.includes('automountServiceAccountToken: true'));
    expect(withToken.map((text) => /^ {2}name: (.*)$/m.exec(text)?.[1])).toEqual(['x-fleet']);
    for (const text of [...pods, templateOf(rendered, 'browser')])
      expect(text).toMatch(/automountServiceAccountToken: (true|false)/);
    expect(rendered).not.toMatch(/kind: Cluster/);
  });

  test('serves metrics on a port that neither the Ingress, the route nor the API Service exposes', async () => {
    const args = [
      '--set',
      'ingress.enabled=true,ingress.host=a.example,httpRoute.enabled=true,monitoring.serviceMonitor=true',
    ];
    const rendered = await render(...args, '--set-json', 'httpRoute.parentRefs=[{"name":"g"}]');
    const objectNamed = (kind: string, name: string) =>
      ofKind(rendered, kind).find((text) => new RegExp(`^ {2}name: ${name}$`, 'm').test(text)) ?? '';
    expect(objectNamed('Deployment', 'x-api')).toContain('{"name":"PILOTHOUSE_METRICS_PORT","value":"9090"}');
    expect(objectNamed('Service', 'x-api')).not.toContain('9090');
    expect(objectNamed('Service', 'x-api-metrics')).toContain('clusterIP: None');
    expect(objectNamed('Service', 'x-api-metrics')).toContain('targetPort: metrics');
    for (const kind of ['Ingress', 'HTTPRoute']) expect(objectNamed(kind, 'x')).not.toMatch(/metrics|9090/);
    const monitor = objectNamed('ServiceMonitor', 'x-api');
    expect(monitor).toContain('port: metrics');
    const [label = ''] = /pilothouse.dev\/metrics/.exec(monitor) ?? [];
    expect(objectNamed('Service', 'x-api-metrics')).toContain(`${label}: api`);
    expect(objectNamed('Service', 'x-api')).not.toContain(label);
    // The policy admits the scraper only when monitoring is enabled.
    expect(policies(rendered).get('x-api')).toContain('port: 9090');
    expect(policies(await render()).get('x-api')).not.toContain('9090');
  });

  test('applies node selectors and tolerations to the demo site and the test', async () => {
    const placement = (component: string) =>
      [`${component}.nodeSelector.pool=small`, `${component}.tolerations[0].key=small`].join(',');
    const rendered = await render('--set', `demo.enabled=true,${placement('demo')},${placement('tests')}`);
    const [demo = ''] = ofKind(rendered, 'Deployment').filter((text) => text.includes('name: x-demo'));
    const [testPod = ''] = ofKind(rendered, 'Pod');
    for (const text of [demo, testPod]) {
      expect(text).toContain('nodeSelector: {"pool":"small"}');
      expect(text).toContain('tolerations: [{"key":"small"}');
    }
  });

  test('evicts stateless components from an unreachable node, by default', async () => {
    const tolerationsByName = async (...set: string[]) => {
      const rendered = await render('--set', ['demo.enabled=true', ...set].join(','));
      const workloads = [...ofKind(rendered, 'Deployment'), ...ofKind(rendered, 'StatefulSet')];
      return new Map(workloads.map((text) => [/^ {2}name: (.*)$/m.exec(text)?.[1] ?? '', tolerationsIn(text)]));
    };
    const tolerationsIn = (text: string) =>
      JSON.parse(/^ +tolerations: (.*)$/m.exec(text)?.[1] ?? '[]') as Record<string, unknown>[];
    const tolerationOf = (key: string, tolerationSeconds: number) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds,
    });
    const lossTolerations = (seconds: number) => [
      tolerationOf('not-ready', seconds),
      tolerationOf('unreachable', seconds),
    ];

    const defaults = await tolerationsByName();
    for (const name of ['x-api', 'x-console', 'x-fleet', 'x-demo'])
      expect(defaults.get(name)).toEqual(lossTolerations(30));
    // A volume may belong to its node: a store keeps the default tolerations.
    for (const name of ['x-postgresql', 'x-redis', 'x-objects']) expect(defaults.get(name)).toEqual([]);
    expect((await tolerationsByName('nodeLossTolerationSeconds=0')).get('x-api')).toEqual([]);
    // Explicit tolerations take precedence and are kept.
    const overridden = await tolerationsByName(
      'nodeLossTolerationSeconds=90',
      'api.tolerations[0].key=pool',
      'api.tolerations[1].key=node.kubernetes.io/unreachable',
      'fleetController.tolerations[0].operator=Exists',
      'fleetController.nodeSelector.pool=small',
    );
    expect(overridden.get('x-api')).toEqual([
      { key: 'pool' },
      { key: 'node.kubernetes.io/unreachable' },
      tolerationOf('not-ready', 90),
    ]);
    expect(overridden.get('x-fleet')).toEqual([{ operator: 'Exists' }]);
    expect(overridden.get('x-demo')).toEqual(lossTolerations(90));
  });

  test('marks pods with only an empty /tmp as safe to evict, and not the stores', async () => {
    const rendered = await render('--set', 'demo.enabled=true,api.annotations.team=blue');
    const evictable = '"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes":"tmp"';
    const deployments = ofKind(rendered, 'Deployment');
    expect(deployments).toHaveLength(5);
    for (const text of deployments) expect(text).toContain(evictable);
    expect(rendered).toContain('"team":"blue"');
    for (const text of ofKind(rendered, 'StatefulSet')) expect(text).not.toContain('safe-to-evict');
  });

  test('omits user ids on platforms that assign them', async () => {
    expect(await render('-f', exampleFile('openshift'))).not.toMatch(/runAsUser|fsGroup/);
    expect(await render()).toContain('runAsUser: 10001');
  });

  test('keeps volumes and Secrets after an uninstall, by default', async () => {
    const retained = await render();
    expect(retained.match(/helm.sh\/resource-policy: keep/g)).toHaveLength(4);
    expect(retained.match(/whenDeleted: Retain/g)).toHaveLength(3);
    const deleted = await render('--set', 'keepDataOnUninstall=false');
    expect(deleted).not.toContain('resource-policy');
    expect(deleted.match(/whenDeleted: Delete/g)).toHaveLength(3);
  });

  test('starts each S3 server with its own arguments', async () => {
    expect(await render()).toContain('ROOT_ACCESS_KEY');
    const minio = await render('-f', exampleFile('minio'));
    expect(minio).toContain('args: ["server","/data","--address",":9000"]');
    expect(minio).toContain('MINIO_ROOT_USER');
  });

  test('explains in its notes how to read the first key, without the key', async () => {
    const { ok, stdout } = await helm(['install', 'x', chart, '--dry-run=client']);
    expect(ok).toBe(true);
    const [manifest = '', notes = ''] = stdout.split('\nNOTES:\n');
    expect(notes).toContain(`get secret x-keys -o jsonpath='{.data.admin-key}'`);
    expect(notes).toContain('port-forward --address 127.0.0.1 service/x-api');
    expect(notes).toContain('port-forward --address 127.0.0.1 service/x-console');
    const secrets = [...manifest.matchAll(/^ {2}(?:[\w-]*key|password|url|fleet-\w+): (\S{24,})$/gm)].map(
      ([, secret = '']) => secret,
    );
    expect(secrets.length).toBe(10);
    for (const secret of secrets) {
      expect(notes).not.toContain(secret);
      expect(notes).not.toContain(Buffer.from(secret, 'base64').toString());
    }
  });

  test.each<[string, string, string]>([
    ['an unknown value', 'color=red', "additional properties 'color' not allowed"],
    [
      'an unknown value of a fleet',
      'fleets.browser.slotz=2',
      "'/fleets/browser': additional properties 'slotz' not allowed",
    ],
    ['no slots', 'fleets.browser.slotsPerWorker=0', "'/fleets/browser/slotsPerWorker': minimum: got 0, want 1"],
    [
      'a word instead of a number',
      'fleets.browser.maxWorkers=many',
      "'/fleets/browser/maxWorkers': got string, want integer",
    ],
    ['an unknown surface', 'fleetDefaults.surface=tv', "'/fleetDefaults/surface': value must be one of 'browser'"],
    [
      'a surface without an image',
      'image.worker.desktop=null,fleets.d.surface=desktop',
      'fleets.d: set image.repository',
    ],
    [
      'minWorkers above maxWorkers',
      'fleets.browser.minWorkers=11',
      'fleets.browser: minWorkers must not exceed maxWorkers',
    ],
    [
      'Chromium’s sandbox under a profile that forbids it',
      'fleets.browser.chromiumSandbox=on',
      'fleets.browser.chromiumSandbox: on needs a seccompProfile that allows user namespaces',
    ],
    [
      'a seccomp profile without its file',
      'fleets.browser.seccompProfile.type=Localhost',
      'fleets.browser.seccompProfile: set localhostProfile. It is required with the type Localhost.',
    ],
    ['an invalid fleet name', 'fleets.Big_One.maxWorkers=1', 'fleets.Big_One.name: use 1 to 32 lower-case'],
    ['an invalid model name', 'models.default=gpt-5', "'/models/default'"],
    ['a model endpoint without a URL', 'models.endpoints.groq.stream=true', "missing property 'baseUrl'"],
    [
      'a model endpoint with the name of a provider',
      'models.endpoints.openai.baseUrl=http://a',
      "invalid propertyName 'openai'",
    ],
    ['an unknown dialect', 'models.overrides.x.dialect=telegram', "'/models/overrides/x/dialect'"],
    ['an invalid base URL', 'models.baseUrls.openai=vllm', "'/models/baseUrls/openai'"],
    [
      'a store without an endpoint',
      'objectStore.existingSecret=mine',
      'objectStore.endpoint: set the URL of the store. It is required with objectStore.existingSecret.',
    ],
    ['an invalid endpoint URL', 'objectStore.publicEndpoint=store:9000', "'/objectStore/publicEndpoint'"],
    ['an unknown S3 server', 'objectStore.bundled.server=s3rver', "value must be one of 'versitygw', 'minio'"],
    [
      'an Ingress without a host',
      'ingress.enabled=true',
      'ingress.host: set a host name. It is required with ingress.enabled.',
    ],
    ['a route without a Gateway', 'httpRoute.enabled=true', 'httpRoute.parentRefs: name a Gateway'],
    ['an invalid quantity', 'redis.bundled.storage=big', "'/redis/bundled/storage'"],
    ['an unknown pull policy', 'image.pullPolicy=Sometimes', "'/image/pullPolicy': value must be one of"],
    ['an invalid network range', 'networkPolicy.privateRanges[0]=home', "'/networkPolicy/privateRanges/0'"],
    ...['10.0.0.0/99', '10.0.0/8', '256.0.0.0/8', '::/129'].flatMap((cidr) => {
      const peer = 'to[0].ipBlock.cidr';
      return [
        [`the network ${cidr}`, `networkPolicy.privateRanges[0]=${cidr}`, '/networkPolicy/privateRanges/0'],
        [`the peer ${cidr}`, `networkPolicy.dns.${peer}=${cidr}`, '/networkPolicy/dns/to/0/ipBlock/cidr'],
        [`the egress peer ${cidr}`, `fleetDefaults.egress.allow[0].${peer}=${cidr}`, 'allow/0/to/0/ipBlock/cidr'],
        [`the private network ${cidr}`, `fleetDefaults.egress.allowPrivate[0]=${cidr}`, 'egress/allowPrivate/0'],
      ] satisfies [string, string, string][];
    }),
    ['a network with an example', 'networkPolicy.privateRanges[0]=10.0.0.0/99', '10[.]1[.]0[.]0/16'],
    ['any origin', 'api.corsOrigins[0]=*', "'/api/corsOrigins/0'"],
    ['an origin with its default port', 'api.corsOrigins[0]=https://a.example:443', "'/api/corsOrigins/0'"],
  ])('refuses %s with a message', async (_, value, message) => {
    const { ok, text } = await helm(['template', 'x', chart, '--set', value]);
    expect(text).toContain(message);
    expect(ok).toBe(false);
  });
});

describe('the console in the chart', () => {
  const route = ['--set', 'ingress.enabled=true,ingress.host=a.example,httpRoute.enabled=true'];
  const gateway = ['--set-json', 'httpRoute.parentRefs=[{"name":"g"}]'];

  test('answers at the root of the host, and the API under its own paths', async () => {
    const rendered = await render(...route, ...gateway);
    const [ingress = ''] = ofKind(rendered, 'Ingress');
    const [world = ''] = ofKind(rendered, 'HTTPRoute');
    expect(ingress).toContain('{ path: /, pathType: Prefix, backend: { service: { name: x-console,');
    expect(ingress).toContain('{ path: /v1, pathType: Prefix, backend: { service: { name: x-api,');
    expect(world).toMatch(/value: \/ \} \}\]\n +backendRefs: \[\{ name: x-console, port: 7110/);
    expect(world).toMatch(/value: \/v1 \} \}\]\n +backendRefs: \[\{ name: x-api, port: 7100/);
  });

  test('has no secret, and reaches DNS and the API', async () => {
    const rendered = await render();
    const [pages = ''] = ofKind(rendered, 'Deployment').filter((text) => text.includes('name: x-console'));
    expect(pages).toContain('{"name":"PILOTHOUSE_API_URL","value":"http://x-api:7100"}');
    expect(pages).not.toContain('secretKeyRef');
    const policy = policies(rendered).get('x-console') ?? '';
    expect(policy.slice(policy.indexOf('egress:')).match(/port: \d+/g)).toEqual(['port: 53', 'port: 53', 'port: 7100']);
  });

  test('can be disabled', async () => {
    const rendered = await render(...route, ...gateway, '--set', 'console.enabled=false');
    expect(rendered).not.toContain('x-console');
    expect(ofKind(rendered, 'Ingress')[0]).toContain('{ path: /, pathType: Prefix, backend: { service: { name: x-api,');
  });
});

describe('the policies of the chart', () => {
  test('let a worker reach DNS, the API, the test page and the internet without private addresses', async () => {
    const rendered = await render();
    const worker = policies(rendered).get('x-worker') ?? '';
    expect(worker).toContain('ingress: []');
    expect(worker.match(/- \{ ports:/g)).toHaveLength(1);
    expect(worker).not.toContain('7190');
    // A hook: it exists while the test runs.
    const test = policies(rendered).get('x-test') ?? '';
    expect(test).toMatch(/helm\.sh\/hook: test, .*hook-succeeded/);
    expect(test).toMatch(/port: 7190 .*"app\.kubernetes\.io\/component":"test"/);
    // Pages reach the test and the demo shop by name, no port of other private addresses.
    const allowed = (text: string) =>
      /PILOTHOUSE_EGRESS_ALLOW_PRIVATE","value":"(.*?)"/.exec(templateOf(text, 'browser'))?.[1];
    expect(allowed(rendered)).toBe('x-test:7190');
    expect(allowed(await render('--set', 'demo.enabled=true'))).toBe('x-demo:7180,x-test:7190');
    expect(allowed(await render('--set', 'tests.enabled=false'))).toBe('');
    const internet = policies(rendered).get('x-worker-browser') ?? '';
    expect(internet).toContain('cidr: 0.0.0.0/0');
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'])
      expect(internet).toContain(`"${range}"`);
    expect(internet).not.toContain('::/0');
    const withIpv6 = policies(await render('--set', 'networkPolicy.ipv6=true')).get('x-worker-browser') ?? '';
    expect(withIpv6).toMatch(/cidr: '::\/0', except: .*"fc00::\/7"/);
  });

  test('open the object store to workers only when they access it directly', async () => {
    expect(policies(await render()).get('x-objects')).not.toContain('"worker"');
    const direct = policies(await render('--set', 'objectStore.workerEndpoint=http://x-objects:9000'));
    expect(direct.get('x-objects')).toContain('"worker"');
    expect(direct.get('x-worker')).toContain('port: 9000');
  });

  test('replace internet access of a fleet by its allow list', async () => {
    const rendered = await render('-f', exampleFile('fleets'));
    const intranet = policies(rendered).get('x-worker-intranet') ?? '';
    expect(intranet).not.toContain('0.0.0.0/0');
    expect(intranet).toContain('10.20.0.0/16');
  });
});
