import { Inject } from '@nestjs/common';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { CreateUpload, UploadView } from '@pilothouse/contract/run/artifact.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { UploadStore, type UploadSummary } from '@pilothouse/infra-db';
import { checkContentType, type ObjectStorage } from '@pilothouse/infra-blob';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { OBJECTS } from '../common/injection-tokens.ts';

/** Seconds for which the link to send a file is valid. */
const SEND_SECONDS = 3600;

/** Makes a name safe as the last part of an object key. The site sees the original name. */
const keyName = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100) || 'file';

/** Files for inputs of runs. */
export class UploadsService {
  constructor(
    @Inject(UploadStore) private readonly uploads: UploadStore,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store' | 'clientTransfers'>,
  ) {}

  async create({ project }: Caller, { name, contentType, size }: CreateUpload): Promise<UploadView> {
    checkContentType(contentType);
    const id = newId();
    const key = `uploads/${project.id}/${id}/${keyName(name)}`;
    const transfer = await this.objects.clientTransfers.upload(key, {
      contentType: 'application/octet-stream',
      maxBytes: size,
      expiresInSeconds: SEND_SECONDS,
    });
    await this.uploads.create(project.id, { id, name, contentType, size, key });
    return { id, name, contentType, size, transfer };
  }

  /**
   * Checks that the files named by inputs are uploaded completely.
   * @throws PilothouseError VALIDATION_FAILED at `/inputs/<name>` for each that is not
   */
  async requireUploaded(
    project: string,
    { inputs: declared }: Pick<WorkflowDefinition, 'inputs'>,
    inputs: Readonly<Record<string, Json>>,
  ): Promise<void> {
    const references = Object.entries(declared).flatMap(([name, { type }]) => {
      const id = inputs[name];
      return type === 'file' && typeof id === 'string' ? [{ pointer: `/inputs/${name}`, id: id.toLowerCase() }] : [];
    });
    const fields = await this.problemsOf(project, references);
    if (fields.length > 0) throw validationError('inputs', fields);
  }

  /** Returns a field error for each upload that is incomplete or of another project. */
  async problemsOf(
    project: string,
    references: readonly { readonly pointer: string; readonly id: string }[],
  ): Promise<FieldError[]> {
    const ids = references.map(({ id }) => id);
    const uploads = new Map((await this.uploads.use(project, ids)).map((upload) => [upload.id, upload]));
    const problems = await Promise.all(
      references.map(async ({ pointer, id }): Promise<FieldError[]> => {
        const detail = await this.problemOf(uploads.get(id));
        return detail === null ? [] : [{ pointer, detail }];
      }),
    );
    return problems.flat();
  }

  private async problemOf(upload: UploadSummary | undefined): Promise<string | null> {
    if (!upload) return 'Upload not found. Announce the file with POST /v1/uploads and use its id.';
    const stat = await this.objects.store.stat(upload.key);
    if (!stat) return `The file ${upload.name} was not sent. Send it with the request in \`transfer\` of the upload.`;
    if (stat.size === upload.size) return null;
    return `The file ${upload.name} has ${stat.size} bytes, but ${upload.size} were announced. Announce it again.`;
  }
}
