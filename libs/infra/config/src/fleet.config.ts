import { hostname } from 'node:os';
import { z } from 'zod';
import { databaseUrl, gatewayUrl, integer, jsonVariable, logSettings, port } from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Variables of the driver that starts child processes. */
const localVariables = {
  PILOTHOUSE_GATEWAY_URL: gatewayUrl.optional(),
  PILOTHOUSE_WORKER_COMMAND: jsonVariable(
    z.array(z.string().min(1)).min(1, { error: 'set it to a JSON list: program and arguments' }),
  ).optional(),
  PILOTHOUSE_DATA_DIR: z.string().optional(),
};

/** Variables of the driver that creates pods. */
const kubernetesVariables = {
  PILOTHOUSE_NAMESPACE: z.string().optional(),
  PILOTHOUSE_LEADER_LEASE_NAME: z.string().optional(),
  PILOTHOUSE_POD_TEMPLATE_DIR: z.string().optional(),
  PILOTHOUSE_POD_NAME: z.string().optional(),
  KUBECONFIG: z.string().optional(),
};

/** Environment variables of the fleet controller. */
export const fleetVariables = z.object({
  DATABASE_URL: databaseUrl,
  PILOTHOUSE_FLEET_DRIVER: z.enum(['local', 'kubernetes'], { error: 'set it to local or kubernetes' }).default('local'),
  PILOTHOUSE_FLEET_PORT: port.default(0),
  PILOTHOUSE_FLEET_HOST: z.string().default('127.0.0.1'),
  ...localVariables,
  ...kubernetesVariables,
  PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS: integer(30, 86_400).default(900),
  ...logSettings,
});

const schema = fleetVariables.transform((env, context) => {
  const addIssue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const required = <Value>(name: keyof typeof env, value: Value | undefined, message: string): Value => {
    if (value === undefined) addIssue(name, message);
    return value as Value;
  };
  const common = {
    databaseUrl: env.DATABASE_URL,
    port: env.PILOTHOUSE_FLEET_PORT,
    host: env.PILOTHOUSE_FLEET_HOST,
    joinTokenTtlSeconds: env.PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
  if (env.PILOTHOUSE_FLEET_DRIVER === 'kubernetes') {
    const reason = 'because PILOTHOUSE_FLEET_DRIVER is kubernetes';
    return {
      ...common,
      driver: 'kubernetes' as const,
      namespace: required(
        'PILOTHOUSE_NAMESPACE',
        env.PILOTHOUSE_NAMESPACE,
        `set it to the namespace of the pods, ${reason}`,
      ),
      leaderLeaseName: required(
        'PILOTHOUSE_LEADER_LEASE_NAME',
        env.PILOTHOUSE_LEADER_LEASE_NAME,
        `set it to the name of a Lease, ${reason}`,
      ),
      podTemplateDir: required(
        'PILOTHOUSE_POD_TEMPLATE_DIR',
        env.PILOTHOUSE_POD_TEMPLATE_DIR,
        `set it to a folder with a pod template for each fleet, ${reason}`,
      ),
      identity: env.PILOTHOUSE_POD_NAME ?? hostname(),
      kubeconfig: env.KUBECONFIG,
    };
  }
  return {
    ...common,
    driver: 'local' as const,
    gatewayUrl: required('PILOTHOUSE_GATEWAY_URL', env.PILOTHOUSE_GATEWAY_URL, 'set it to the URL of the gateway'),
    workerCommand: required(
      'PILOTHOUSE_WORKER_COMMAND',
      env.PILOTHOUSE_WORKER_COMMAND,
      'set it to a JSON list: program and arguments',
    ),
    dataFolder: required('PILOTHOUSE_DATA_DIR', env.PILOTHOUSE_DATA_DIR, 'set it to the folder for data'),
  };
});

interface CommonConfig {
  databaseUrl: string;
  port: number;
  /** Time in which a new worker must join. */
  joinTokenTtlSeconds: number;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** Settings for workers as child processes. */
export interface LocalFleetConfig extends CommonConfig {
  driver: 'local';
  gatewayUrl: string;
  workerCommand: readonly string[];
  dataFolder: string;
  /** Source of the environment variables that workers may inherit. */
  environment: Environment;
}

/** Settings for workers as pods. */
export interface KubernetesFleetConfig extends CommonConfig {
  driver: 'kubernetes';
  namespace: string;
  /** Name of the Lease that owns the pods and elects the controller. */
  leaderLeaseName: string;
  /** Folder with a pod template for each fleet. */
  podTemplateDir: string;
  /** Pod name of this controller. */
  identity: string;
  /** Undefined: the service account of the pod. */
  kubeconfig?: string;
}

/** Settings of the fleet controller. */
export type FleetControllerConfig = LocalFleetConfig | KubernetesFleetConfig;

/** @throws ConfigError */
export function fleetControllerConfig(environment: Environment = processEnvironment()): FleetControllerConfig {
  const config = readEnvironment(schema, environment);
  return config.driver === 'local' ? { ...config, environment } : config;
}
