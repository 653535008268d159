import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../../api/api-client.server.ts';
import type { RecordedTurn } from './recorded-turn.route.ts';

/** The record of a turn while its step is shown. Both are null while it is loaded. */
export interface TurnRecordState {
  record: TurnRecord | null;
  problem: string | null;
}

/** Loads the record of a turn. @param file artifact of the record; null: no step is shown */
export function useRecordedTurn(run: string, file: string | null): TurnRecordState {
  const key = `turn ${file}`;
  const { load, data } = useFetcher<ApiResult<RecordedTurn>>({ key });
  useEffect(() => {
    if (file !== null) void load(`/learning/traces/${run}/records/${file}`);
  }, [load, run, file]);
  return { record: data?.result?.record ?? null, problem: data?.failure?.message ?? null };
}
