import type { Job } from '@pilothouse/contract/job/job.schema';
import { useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import { followStream, type Connection } from '../shared/event-source.ts';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { isActiveJob } from './jobs/job-labels.ts';

/** Milliseconds between two refreshes of a job that has ended: another person may retry it. */
const IDLE_REFRESH_MS = 15_000;

/** Reloads the data of the page when its job changes. */
export function useJobUpdates(job: Pick<Job, 'id' | 'status'>): Connection {
  const { id } = job;
  const isActive = isActiveJob(job);
  const { revalidate } = useRevalidator();
  const [streamState, setStreamState] = useState<Connection>('live');
  const refreshState = useAutoRefresh(isActive ? null : IDLE_REFRESH_MS);
  useEffect(() => {
    if (!isActive) return;
    setStreamState('live');
    return followStream({
      url: () => `/api/v1/learning/jobs/${id}/events`,
      onMessage: () => void revalidate(),
      onConnection: setStreamState,
    });
  }, [id, isActive, revalidate]);
  return isActive ? streamState : refreshState;
}
