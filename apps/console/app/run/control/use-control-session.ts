import {
  CONTROL_IDLE_MS,
  type DialogInput,
  type InspectPage,
  type DropdownOptions,
  type CopiedText,
  type PageInspection,
  type PageInput,
  type ControlInput,
  type ControlSession,
} from '@pilothouse/contract';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { postApi, type ApiAnswer } from '../../api/post-api.ts';
import type { RunState } from '../run-state.ts';
import { ControlInputQueue } from './control-input-queue.ts';

/** Milliseconds between two requests for a wheel that the run has not stopped for: one may be lost. */
const RETRY_MS = 5_000;

/** Milliseconds between two looks at the clock. */
const TICK_MS = 1_000;

export interface PageControl {
  /** Who has it; null: nobody. */
  operator: string | null;
  isMine: boolean;
  /** It is mine, and the run has stopped for it. */
  isOperating: boolean;
  /** Seconds until it goes back without input. */
  secondsLeft: number;
  problem: string | null;
  /** Takes control, or renews it. */
  take: () => void;
  release: () => void;
  /** Sends input, in order: one request at a time. */
  send: (input: PageInput) => void;
  /** Answers a dialog or a file chooser of the page, ahead of what waits: the page does nothing else until then. @returns why not; null: it is sent */
  answerDialog: (answer: Omit<DialogInput, 'kind'>) => Promise<string | null>;
  /** Asks what is on the page, after all that was sent. */
  inspect: (request: Omit<InspectPage, 'token'>) => Promise<ApiAnswer<PageInspection>>;
  /** Asks what the drop-down list offers that has the focus, after all that was sent. */
  selectOptions: () => Promise<ApiAnswer<DropdownOptions>>;
  /** Copies what is selected on the page, after all that was sent. @param cut takes it away, too */
  copy: (cut: boolean) => Promise<ApiAnswer<CopiedText>>;
}

/** The wheel of a run in the hands of the viewer, or of somebody else. */
export function useControlSession({ run, status, control }: Pick<RunState, 'run' | 'status' | 'control'>): PageControl {
  const [session, setSessionState] = useState<ControlSession | null>(null);
  const [expiresAt, setExpiresAt] = useState(0);
  const [secondsLeft, setSecondsLeft] = useState(0);
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

  // Of another run, or back: nothing of it is kept.
  useEffect(() => setSession(null), [run, setSession]);
  useEffect(() => {
    if (isLost) setSession(null);
  }, [isLost, setSession]);

  // It is asked for until the run stops, and once more then: its minute begins with it.
  useEffect(() => {
    if (!isMine) return undefined;
    if (status === 'awaiting_user') return void requestControl();
    const timer = setInterval(() => void requestControl(), RETRY_MS);
    return () => clearInterval(timer);
  }, [isMine, status, requestControl]);

  useEffect(() => {
    if (!isMine) return undefined;
    const tick = () => setSecondsLeft(Math.max(0, Math.ceil((expiresAt - performance.now()) / 1000)));
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
  // What waits is for this wheel alone.
  useEffect(() => () => queue.drop('The wheel went back'), [queue]);

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

  const take = useCallback(() => void requestControl(), [requestControl]);
  const release = useCallback(async () => {
    const { error } = await queue.request(() => postApi(url, { method: 'DELETE' }));
    setSession(null, error);
  }, [queue, url, setSession]);

  return {
    operator: isMine ? session.operator : control?.isActive ? control.by : null,
    isMine,
    isOperating,
    secondsLeft,
    problem,
    take,
    release: () => void release(),
    send,
    answerDialog,
    inspect,
    selectOptions,
    copy,
  };
}
