import { Inject } from '@nestjs/common';
import { MAX_THUMBNAIL_BYTES } from '@pilothouse/contract/api/workflows.routes';
import type { WorkflowStats } from '@pilothouse/contract/api/workflow-stats.schema';
import type { ObjectStorage } from '@pilothouse/infra-blob';
import { WorkflowStatsStore, type WorkflowStatsRow } from '@pilothouse/infra-db';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { OBJECTS } from '../common/injection-tokens.ts';

/** Seconds for which the link to a thumbnail is valid. */
const LINK_SECONDS = 900;

/** Magic bytes of image types. */
const imageTypes = [
  { type: 'image/jpeg', ending: 'jpg', is: (bytes: Buffer) => bytes.readUIntBE(0, 3) === 0xffd8ff },
  { type: 'image/png', ending: 'png', is: (bytes: Buffer) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' },
  {
    type: 'image/webp',
    ending: 'webp',
    is: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
] as const;

/** Statistics and thumbnails of workflows. */
export class WorkflowStatsService {
  constructor(
    @Inject(WorkflowStatsStore) private readonly store: WorkflowStatsStore,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store' | 'clientTransfers'>,
  ) {}

  /** @returns in the order of the ids; undefined for an unknown one */
  async stats(workflows: readonly string[]): Promise<(WorkflowStats | undefined)[]> {
    if (workflows.length === 0) return [];
    const statsById = await this.store.read(workflows);
    return Promise.all(
      workflows.map(async (id) => {
        const stats = statsById.get(id);
        return stats && { ...stats, thumbnail: await this.withSignedUrl(stats.thumbnail) };
      }),
    );
  }

  /** @throws PilothouseError VALIDATION_FAILED for data that is no image, or too large */
  async setThumbnail(project: string, workflow: string, image: Buffer | null): Promise<void> {
    const key = image && (await this.storeThumbnail(project, workflow, image));
    const previousKey = await this.store.setThumbnail(workflow, key);
    if (previousKey !== null) await this.objects.store.delete([previousKey]);
  }

  private async storeThumbnail(project: string, workflow: string, image: Buffer): Promise<string> {
    const kind = image.length <= MAX_THUMBNAIL_BYTES && image.length > 12 && imageTypes.find(({ is }) => is(image));
    if (!kind) {
      const detail = `Send a JPEG, PNG or WebP of at most ${MAX_THUMBNAIL_BYTES} bytes.`;
      throw validationError('thumbnail', [{ pointer: '/image', detail }]);
    }
    const key = `workflows/${project}/${workflow}/${newId()}.${kind.ending}`;
    await this.objects.store.put(key, image, { contentType: kind.type, maxBytes: MAX_THUMBNAIL_BYTES });
    return key;
  }

  private async withSignedUrl(thumbnail: WorkflowStatsRow['thumbnail']): Promise<WorkflowStats['thumbnail']> {
    if (!thumbnail) return null;
    const ending = thumbnail.key.split('.').at(-1) ?? '';
    const contentType = imageTypes.find((kind) => kind.ending === ending)?.type ?? 'image/jpeg';
    const link = { name: `thumbnail.${ending}`, contentType, expiresInSeconds: LINK_SECONDS, inline: true };
    return { source: thumbnail.source, url: (await this.objects.clientTransfers.download(thumbnail.key, link)).url };
  }
}
