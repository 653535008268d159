import type { Metrics } from '@pilothouse/infra-telemetry';
import { CachedRead } from './cached-read.ts';

/** Dependencies without which the API is degraded but ready; the values of the label `dependency`. */
const dependencies = ['redis', 'object_store'] as const;
export type Dependency = (typeof dependencies)[number];

/**
 * Declares the metric about dependencies that do not decide about readiness.
 * @param checks reject when the dependency is not usable
 */
export function declareDependencyMetrics(
  metrics: Metrics,
  checks: Readonly<Record<Dependency, () => Promise<void>>>,
): void {
  const reads = dependencies.map((dependency) => {
    const isUsable = () => checks[dependency]().then(() => true);
    return { dependency, usable: new CachedRead(isUsable) };
  });
  metrics.gauge({
    name: 'dependency_up',
    help: '1 if the last check of this replica could use the dependency. Without Redis or object store the API serves requests, but is degraded',
    labels: { dependency: dependencies },
    async collect(gauge) {
      const results = await Promise.all(
        reads.map(async ({ dependency, usable }) => ({ dependency, isUp: (await usable.read()) === true })),
      );
      for (const { dependency, isUp } of results) gauge.set(isUp ? 1 : 0, { dependency });
    },
  });
}
