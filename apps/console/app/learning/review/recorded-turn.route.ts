import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { MAX_TURN_RECORD_BYTES, parseTurnRecord } from '@pilothouse/core/learning/parse-turn-record';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../../api/api-client.server.ts';
import { findArtifact, readArtifactText } from '../../api/artifact-text.server.ts';

export interface RecordedTurn {
  /** Id of the artifact. */
  file: string;
  record: TurnRecord;
}

export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<RecordedTurn>> =>
  tryApi(args, async (client) => {
    const { run = '', file = '' } = args.params;
    const artifact = await findArtifact(client, run, file);
    if (artifact?.kind !== 'turn')
      throw new PilothouseError('GONE', 'The record of this turn was deleted by the retention policy.');
    if (artifact.size > MAX_TURN_RECORD_BYTES)
      throw new PilothouseError('CONFLICT', 'The record of this turn is too large to show.');
    const parsed = parseTurnRecord(await readArtifactText(args, artifact));
    if ('problem' in parsed) throw new PilothouseError('GONE', parsed.problem);
    return { file, record: parsed.record };
  });
