import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { Pool } from '@pilothouse/infra-db';
import type { KubernetesTrainers } from './tuning/kubernetes-trainers.ts';

/** Services of the process for handlers. */
export interface JobDependencies {
  readonly pool: Pool;
  readonly objects: BlobStore;
  /** Model endpoints of the installation. */
  readonly endpoints: ModelsConfig['endpoints'];
  /** Settings of models of the installation, by name. */
  readonly modelEntries?: ModelsConfig['overrides'];
  /** Trainers of the installation. Default: none. */
  readonly trainers?: KubernetesTrainers | null;
  /** Buckets for exports, by name. Default: none. */
  readonly destinations?: ReadonlyMap<string, ExportDestination>;
}
