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
import { postApi, type Answered } from '../../api/post-api.ts';
import type { Story } from '../run-state.ts';
import { WheelQueue } from './control-input-queue.ts';

/** Milliseconds between two requests for a wheel that the run has not stopped for: one may be lost. */
const AGAIN_MS = 5_000;

/** Milliseconds between two looks at the clock. */
const TICK_MS = 1_000;

export interface WheelHandle {
  /** Who has it; null: nobody. */
  operator: string | null;
  isMine: boolean;
  /** It is mine, and the run has stopped for it. */
  drives: boolean;
  /** Seconds until it goes back without input. */
  seconds: number;
  problem: string | null;
  /** Takes control, or renews it. */
  take: () => void;
  giveBack: () => void;
  /** Sends input, in order: one request at a time. */
  send: (input: PageInput) => void;
  /** Answers a dialog or a file chooser of the page, ahead of what waits: the page does nothing else until then. @returns why not; null: it is sent */
  answerDialog: (answer: Omit<DialogInput, 'kind'>) => Promise<string | null>;
  /** Asks what is on the page, after all that was sent. */
  look: (pointed: Omit<InspectPage, 'token'>) => Promise<Answered<PageInspection>>;
  /** Asks what the drop-down list offers that has the focus, after all that was sent. */
  choices: () => Promise<Answered<DropdownOptions>>;
  /** Copies what is selected on the page, after all that was sent. @param cut takes it away, too */
  copy: (cut: boolean) => Promise<Answered<CopiedText>>;
}

/** The wheel of a run in the hands of the viewer, or of somebody else. */
export function useWheel({ run, status, wheel }: Pick<Story, 'run' | 'status' | 'wheel'>): WheelHandle {
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

  const takeIt = useCallback(async () => {
    const { answer, why } = await postApi<ControlSession>(url);
    have(answer, why);
  }, [url, have]);

  const isLost =
    mine !== null && wheel !== null && (wheel.token > mine.token || (wheel.token === mine.token && !wheel.isHeld));
  const isMine = mine !== null && !isLost;
  const drives = isMine && status === 'awaiting_user';
  const token = mine?.token ?? 0;

  // Of another run, or back: nothing of it is kept.
  useEffect(() => have(null), [run, have]);
  useEffect(() => {
    if (isLost) have(null);
  }, [isLost, have]);

  // It is asked for until the run stops, and once more then: its minute begins with it.
  useEffect(() => {
    if (!isMine) return undefined;
    if (status === 'awaiting_user') return void takeIt();
    const timer = setInterval(() => void takeIt(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isMine, status, takeIt]);

  useEffect(() => {
    if (!isMine) return undefined;
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isMine, until]);

  const post = useCallback(
    async <Value>(what: string, more: object): Promise<Answered<Value>> => {
      const said = await postApi<Value>(`${url}/${what}`, { body: { token, ...more } });
      if (said.answer) setUntil(performance.now() + CONTROL_IDLE_MS);
      return said;
    },
    [url, token],
  );
  const queue = useMemo(
    () =>
      new WheelQueue(async (inputs) => {
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
    <Value>(what: string, more: object) => queue.ask(() => post<Value>(what, more)),
    [queue, post],
  );
  const look = useCallback(
    (pointed: Omit<InspectPage, 'token'>) => askPage<PageInspection>('inspect', pointed),
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

  const take = useCallback(() => void takeIt(), [takeIt]);
  const giveBack = useCallback(async () => {
    const { why } = await queue.ask(() => postApi(url, { method: 'DELETE' }));
    have(null, why);
  }, [queue, url, have]);

  return {
    operator: isMine ? mine.operator : wheel?.isHeld ? wheel.by : null,
    isMine,
    drives,
    seconds,
    problem,
    take,
    giveBack: () => void giveBack(),
    send,
    answerDialog,
    look,
    choices,
    copy,
  };
}
