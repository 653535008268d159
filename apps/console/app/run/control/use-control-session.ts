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
const AGAIN_MS = 5_000;

/** Milliseconds between two looks at the clock. */
const TICK_MS = 1_000;

export interface PageControl {
  /** Who has it; null: nobody. */
  operator: string | null;
  isMine: boolean;
  /** It is mine, and the run has stopped for it. */
  isOperating: boolean;
  /** Seconds until it goes back without input. */
  seconds: number;
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
  choices: () => Promise<ApiAnswer<DropdownOptions>>;
  /** Copies what is selected on the page, after all that was sent. @param cut takes it away, too */
  copy: (cut: boolean) => Promise<ApiAnswer<CopiedText>>;
}

/** The wheel of a run in the hands of the viewer, or of somebody else. */
export function useControlSession({ run, status, control }: Pick<RunState, 'run' | 'status' | 'control'>): PageControl {
  const [mine, setMine] = useState<ControlSession | null>(null);
  const [until, setUntil] = useState(0);
  const [seconds, setSeconds] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const url = `runs/${run}/control`;

  const have = useCallback((view: ControlSession | null, why: string | null = null) => {
    setMine(view);
    setProblem(why);
    if (view) setUntil(performance.now() + CONTROL_IDLE_MS);
  }, []);

  const requestControl = useCallback(async () => {
    const { answer, why } = await postApi<ControlSession>(url);
    have(answer, why);
  }, [url, have]);

  const isLost =
    mine !== null && control !== null && (control.token > mine.token || (control.token === mine.token && !control.isActive));
  const isMine = mine !== null && !isLost;
  const isOperating = isMine && status === 'awaiting_user';
  const token = mine?.token ?? 0;

  // Of another run, or back: nothing of it is kept.
  useEffect(() => have(null), [run, have]);
  useEffect(() => {
    if (isLost) have(null);
  }, [isLost, have]);

  // It is asked for until the run stops, and once more then: its minute begins with it.
  useEffect(() => {
    if (!isMine) return undefined;
    if (status === 'awaiting_user') return void requestControl();
    const timer = setInterval(() => void requestControl(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isMine, status, requestControl]);

  useEffect(() => {
    if (!isMine) return undefined;
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isMine, until]);

  const post = useCallback(
    async <Value>(operation: string, more: object): Promise<ApiAnswer<Value>> => {
      const said = await postApi<Value>(`${url}/${operation}`, { body: { token, ...more } });
      if (said.answer) setUntil(performance.now() + CONTROL_IDLE_MS);
      return said;
    },
    [url, token],
  );
  const queue = useMemo(
    () =>
      new ControlInputQueue(async (inputs) => {
        const said = await post<ControlSession>('input', { inputs });
        if (!said.answer) have(null, said.why);
        return said;
      }),
    [post, have],
  );
  // What waits is for this wheel alone.
  useEffect(() => () => queue.drop('The wheel went back'), [queue]);

  const send = useCallback((input: PageInput) => queue.send(input), [queue]);
  const askPage = useCallback(
    <Value>(operation: string, more: object) => queue.ask(() => post<Value>(operation, more)),
    [queue, post],
  );
  const inspect = useCallback(
    (request: Omit<InspectPage, 'token'>) => askPage<PageInspection>('inspect', request),
    [askPage],
  );
  const choices = useCallback(() => askPage<DropdownOptions>('dropdown', {}), [askPage]);
  const copy = useCallback((cut: boolean) => askPage<CopiedText>('copy', { cut }), [askPage]);

  const answerDialog = useCallback(
    async (answer: Omit<DialogInput, 'kind'>) => {
      const inputs: ControlInput[] = [{ kind: 'dialog', ...answer }];
      const sent = await post<ControlSession>('input', { inputs });
      return sent.answer ? null : sent.why;
    },
    [post],
  );

  const take = useCallback(() => void requestControl(), [requestControl]);
  const release = useCallback(async () => {
    const { why } = await queue.ask(() => postApi(url, { method: 'DELETE' }));
    have(null, why);
  }, [queue, url, have]);

  return {
    operator: isMine ? mine.operator : control?.isActive ? control.by : null,
    isMine,
    isOperating,
    seconds,
    problem,
    take,
    release: () => void release(),
    send,
    answerDialog,
    inspect,
    choices,
    copy,
  };
}
