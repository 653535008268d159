import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Surface, SurfaceHost } from '@pilothouse/core/ports/surface.port';

/** Reports each observation of the surfaces of a host: what the screenshot shows. */
export function observedHost(host: SurfaceHost, onObservation: (observation: Observation) => void): SurfaceHost {
  const bound = <Target extends object>(target: Target, overrides: object): Target =>
    new Proxy(target, {
      get: (object, name) => {
        if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name) as unknown;
        const value = Reflect.get(object, name) as unknown;
        return typeof value === 'function' ? (value.bind(object) as unknown) : value;
      },
    });
  return bound(host, {
    open: async (...args: Parameters<SurfaceHost['open']>): Promise<Surface> => {
      const surface = await host.open(...args);
      return bound(surface, {
        observe: async (...observeArgs: Parameters<Surface['observe']>) => {
          const observation = await surface.observe(...observeArgs);
          onObservation(observation);
          return observation;
        },
      });
    },
  });
}
