import { MAX_CHOSEN_FILES } from '@pilothouse/contract/control/control-limits';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionFunctionArgs } from 'react-router';
import { requireSession, tryApi } from './api-client.server.ts';
import type { UploadedFiles } from './post-api.ts';

/** Uploads the files of a form. Responds with the ids of the uploads. */
export async function action(args: ActionFunctionArgs): Promise<Response> {
  await requireSession(args);
  const form = await args.request.formData();
  const files = form.getAll('file').filter((value) => value instanceof File);
  const answer: UploadedFiles = await tryApi(args, async (client) => {
    if (files.length === 0 || files.length > MAX_CHOSEN_FILES)
      throw new PilothouseError('VALIDATION_FAILED', `Choose 1 to ${MAX_CHOSEN_FILES} files`);
    const ids: string[] = [];
    for (const content of files) {
      const { id } = await client.upload({ name: content.name, contentType: content.type || undefined, content });
      ids.push(id);
    }
    return ids;
  });
  return Response.json(answer);
}
