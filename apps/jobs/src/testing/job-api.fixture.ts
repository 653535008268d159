import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Manifest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly env: readonly Variable[] }[] } };
  };
}
interface Variable {
  readonly name: string;
  readonly value: string;
}

/** A Job that the job runner created. */
interface CreatedJob {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Sets a condition (default: Complete). */
  finish(type?: 'Complete' | 'Failed'): void;
}

export interface JobApi {
  readonly url: string;
  readonly jobs: readonly CreatedJob[];
  close(): Promise<void>;
}

/** The part of the Kubernetes API for Jobs, without pods. The cluster specs use a real one. */
export async function startJobApi(): Promise<JobApi> {
  const jobs: (CreatedJob & { readonly object: object })[] = [];
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    const { pathname } = new URL(request.url ?? '', 'http://kube');
    if (pathname.endsWith('/pods')) return [200, { metadata: {}, items: [] }];
    if (request.method === 'POST') {
      const manifest = (await json(request)) as Manifest;
      const object = { ...manifest, status: { conditions: [] as object[] } };
      jobs.push({
        ...{ object, name: manifest.metadata.name },
        variables: Object.fromEntries(
          manifest.spec.template.spec.containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value])),
        ),
        finish: (type = 'Complete') => void object.status.conditions.push({ type, status: 'True' }),
      });
      return [201, object];
    }
    const index = jobs.findIndex(({ name }) => pathname.endsWith(`/jobs/${name}`));
    const job = jobs[index];
    if (!job) return [404, { kind: 'Status', reason: 'NotFound' }];
    if (request.method === 'DELETE') jobs.splice(index, 1);
    return [200, job.object];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
