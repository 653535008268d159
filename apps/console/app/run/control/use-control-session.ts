import { CONTROL_IDLE_MS } from '@pilothouse/contract/control/control-limits';
import type {
  DialogInput,
  InspectPage,
  DropdownOptions,
  CopiedText,
  PageInspection,
  PageInput,
  ControlInput,
  ControlSession,
} from '@pilothouse/contract/control/control.schema';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { postApi, type ApiAnswer } from '../../api/post-api.ts';
import type { RunState } from '../run-state.ts';
import { ControlInputQueue } from './control-input-queue.ts';

/** Milliseconds between two requests for control while the run has not paused: a request may be lost. */
const RETRY_MS = 5_000;

const TICK_MS = 1_000;

export interface PageControl {
  /** Person in control; null: none. */
  operator: string | null;
  isMine: boolean;
  /** True if the viewer has control and the run has paused for it. */
  isOperating: boolean;
  /** Seconds without input until control is released. */
  remainingSeconds: number;
  problem: string | null;
  /** Takes or renews control. */
  takeControl: () => void;
  release: () => void;
  /** Sends input in order, one request at a time. */
  send: (input: PageInput) => void;
  /** Answers a dialog or file chooser ahead of the queue, because it blocks the page. @returns an error message; null: sent */
  answerDialog: (answer: Omit<DialogInput, 'kind'>) => Promise<string | null>;
  /** Inspects the page after all earlier input. */
  inspect: (request: Omit<InspectPage, 'token'>) => Promise<ApiAnswer<PageInspection>>;
  /** Reads the options of the focused select after all earlier input. */
  selectOptions: () => Promise<ApiAnswer<DropdownOptions>>;
  /** Copies the selection of the page after all earlier input. @param cut also removes it */
  copy: (cut: boolean) => Promise<ApiAnswer<CopiedText>>;
}

/** Control of a run's browser, by the viewer or another person. */
export function useControlSession({ run, status, control }: Pick<RunState, 'run' | 'status' | 'control'>): PageControl {
  const [session, setSessionState] = useState<ControlSession | null>(null);
  const [expiresAt, setExpiresAt] = useState(0);
  const [remainingSeconds, setRemainingSeconds] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const url = `runs/${run}/control`;

  const setSession = useCallback((view: ControlSession | null, error: string | null = null) => {
    setSessionState(view);
    setProblem(error);
    if (view) setExpiresAt(performance.now() + CONTROL_IDLE_MS);
  }, []);

  const requestControl = useCallback(async () => {
    const { answer, error } = await postApi<ControlSession>(url);
    setSession(answer, error);
  }, [url, setSession]);

  const isLost =
    session !== null &&
    control !== null &&
    (control.token > session.token || (control.token === session.token && !control.isActive));
  const isMine = session !== null && !isLost;
  const isOperating = isMine && status === 'awaiting_user';
  const token = session?.token ?? 0;

  // Another run, or control was released.
  useEffect(() => setSession(null), [run, setSession]);
  useEffect(() => {
    if (isLost) setSession(null);
  }, [isLost, setSession]);

  // Requested until the run pauses, and once more then: the idle timeout starts with it.
  useEffect(() => {
    if (!isMine) return undefined;
    if (status === 'awaiting_user') return void requestControl();
    const timer = setInterval(() => void requestControl(), RETRY_MS);
    return () => clearInterval(timer);
  }, [isMine, status, requestControl]);

  useEffect(() => {
    if (!isMine) return undefined;
    const tick = () => setRemainingSeconds(Math.max(0, Math.ceil((expiresAt - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isMine, expiresAt]);

  const post = useCallback(
    async <Value>(operation: string, body: object): Promise<ApiAnswer<Value>> => {
      const answer = await postApi<Value>(`${url}/${operation}`, { body: { token, ...body } });
      if (answer.answer) setExpiresAt(performance.now() + CONTROL_IDLE_MS);
      return answer;
    },
    [url, token],
  );
  const queue = useMemo(
    () =>
      new ControlInputQueue(async (inputs) => {
        const answer = await post<ControlSession>('input', { inputs });
        if (!answer.answer) setSession(null, answer.error);
        return answer;
      }),
    [post, setSession],
  );
  // Queued input belongs to this session.
  useEffect(() => () => queue.drop('Control was released'), [queue]);

  const send = useCallback((input: PageInput) => queue.send(input), [queue]);
  const queryPage = useCallback(
    <Value>(operation: string, body: object) => queue.request(() => post<Value>(operation, body)),
    [queue, post],
  );
  const inspect = useCallback(
    (request: Omit<InspectPage, 'token'>) => queryPage<PageInspection>('inspect', request),
    [queryPage],
  );
  const selectOptions = useCallback(() => queryPage<DropdownOptions>('dropdown', {}), [queryPage]);
  const copy = useCallback((cut: boolean) => queryPage<CopiedText>('copy', { cut }), [queryPage]);

  const answerDialog = useCallback(
    async (answer: Omit<DialogInput, 'kind'>) => {
      const inputs: ControlInput[] = [{ kind: 'dialog', ...answer }];
      const reply = await post<ControlSession>('input', { inputs });
      return reply.answer ? null : reply.error;
    },
    [post],
  );

  const takeControl = useCallback(() => void requestControl(), [requestControl]);
  const release = useCallback(async () => {
    const { error } = await queue.request(() => postApi(url, { method: 'DELETE' }));
    setSession(null, error);
  }, [queue, url, setSession]);

  return {
    operator: isMine ? session.operator : control?.isActive ? control.operator : null,
    isMine,
    isOperating,
    remainingSeconds,
    problem,
    takeControl,
    release: () => void release(),
    send,
    answerDialog,
    inspect,
    selectOptions,
    copy,
  };
}
