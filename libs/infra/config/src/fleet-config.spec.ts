import { fleetControllerConfig } from './fleet.config.ts';
import { ConfigError, type Environment } from './read-environment.ts';

const problems = (environment: Environment): readonly string[] => {
  try {
    fleetControllerConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const DATABASE_URL = 'postgresql://u:p@h/db';
const pods = {
  DATABASE_URL,
  PILOTHOUSE_FLEET_DRIVER: 'kubernetes',
  PILOTHOUSE_NAMESPACE: 'agents',
  PILOTHOUSE_LEADER_LEASE_NAME: 'pilothouse-fleet',
  PILOTHOUSE_POD_TEMPLATE_DIR: '/etc/pilothouse/pods',
  PILOTHOUSE_POD_NAME: 'pilothouse-fleet-0',
};

describe('settings of the controller on Kubernetes', () => {
  it('are the namespace and the pod templates; no fleet, token or command', () => {
    expect(fleetControllerConfig({ ...pods, PILOTHOUSE_FLEET_PORT: '9090' })).toEqual({
      driver: 'kubernetes',
      databaseUrl: DATABASE_URL,
      host: '127.0.0.1',
      joinTokenTtlSeconds: 900,
      namespace: 'agents',
      leaderLeaseName: 'pilothouse-fleet',
      podTemplateDir: '/etc/pilothouse/pods',
      identity: 'pilothouse-fleet-0',
      kubeconfig: undefined,
      port: 9090,
      log: { level: 'info', format: 'json' },
    });
  });

  it('accept a kubeconfig', () => {
    expect(fleetControllerConfig({ ...pods, KUBECONFIG: '/kube' })).toMatchObject({ kubeconfig: '/kube' });
  });

  it('report missing values with the reason', () => {
    expect(problems({ DATABASE_URL, PILOTHOUSE_FLEET_DRIVER: 'kubernetes' })).toEqual([
      'PILOTHOUSE_NAMESPACE: set it to the namespace of the pods, because PILOTHOUSE_FLEET_DRIVER is kubernetes.',
      'PILOTHOUSE_LEADER_LEASE_NAME: set it to the name of a Lease, because PILOTHOUSE_FLEET_DRIVER is kubernetes.',
      'PILOTHOUSE_POD_TEMPLATE_DIR: set it to a folder with a pod template for each fleet, because PILOTHOUSE_FLEET_DRIVER is kubernetes.',
    ]);
  });
});

test('settings of the local controller report missing values', () => {
  expect(problems({ DATABASE_URL })).toEqual([
    'PILOTHOUSE_GATEWAY_URL: set it to the URL of the gateway.',
    'PILOTHOUSE_WORKER_COMMAND: set it to a JSON list: program and arguments.',
    'PILOTHOUSE_DATA_DIR: set it to the folder for data.',
  ]);
  expect(problems({ DATABASE_URL, PILOTHOUSE_FLEET_DRIVER: 'docker' })).toEqual([
    'PILOTHOUSE_FLEET_DRIVER: set it to local or kubernetes.',
  ]);
});
