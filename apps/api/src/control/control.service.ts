import { Inject } from '@nestjs/common';
import {
  isTerminal,
  PilothouseError,
  CONTROL_IDLE_MS,
  type ReadDropdown,
  type Attempt,
  type CopySelection,
  type SendControlInput,
  type InspectPage,
  type DropdownOptions,
  type CopiedText,
  type PageQuery,
  type PageInspection,
  type RunView,
  type ControlSession,
} from '@pilothouse/contract';
import type { Operator, ControlSessionRow } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { RunsService } from '../runs/runs.service.ts';
import { UploadsService } from '../uploads/uploads.service.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { ControlRelay, type ControlInputBatch, type PageInspectionReply } from './control-relay.ts';

interface Asked {
  readonly token: number;
  readonly look: Omit<PageQuery, 'id'>;
  readonly inputs?: SendControlInput['inputs'];
}

/** People who drive runs by hand. */
export class ControlService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunLifecycle) private readonly way: RunLifecycle,
    @Inject(ControlRelay) private readonly relay: ControlRelay,
    @Inject(UploadsService) private readonly uploads: Pick<UploadsService, 'problemsOf'>,
  ) {}

  /** @throws PilothouseError NOT_FOUND; CONFLICT when another operator has control, or the run has no open surface */
  async take(caller: Caller, run: string): Promise<ControlSession> {
    const { view } = await this.runs.find(caller, run);
    if (view.surface !== 'browser') throw conflict(`The run has no browser, but the surface ${view.surface}`);
    const wheel = await this.way.control.take(run, operatorOf(caller));
    if (!wheel) throw await this.rejection(caller, run);
    // Sent again when nothing has changed: the earlier message may be lost.
    await this.tell(wheel, CONTROL_IDLE_MS, 0, []);
    return viewOf(wheel);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when the input does not count; VALIDATION_FAILED for a file that was not uploaded */
  async sendInput(caller: Caller, run: string, { token, inputs }: SendControlInput): Promise<ControlSession> {
    await this.runs.find(caller, run);
    const files = await this.filesOf(caller, inputs);
    const wheel = await this.way.control.acceptInput(run, { holder: operatorOf(caller).holder, token, files });
    if (!wheel) throw await this.rejection(caller, run);
    await this.tell(wheel, CONTROL_IDLE_MS, wheel.n, inputs);
    return viewOf(wheel);
  }

  /** Ids of the uploads that file choosers are given. @throws PilothouseError VALIDATION_FAILED */
  private async filesOf(caller: Caller, inputs: SendControlInput['inputs']): Promise<string[]> {
    const named = inputs.flatMap((input, index) =>
      input.kind === 'dialog'
        ? (input.files ?? []).map((id, at) => ({ pointer: `/inputs/${index}/files/${at}`, id: id.toLowerCase() }))
        : [],
    );
    const fields = named.length > 0 ? await this.uploads.problemsOf(caller, named) : [];
    if (fields.length > 0) throw validationError('body', fields);
    return named.map(({ id }) => id);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when the operator does not have control; UNAVAILABLE without an answer; as the worker reports */
  async inspect(
    caller: Caller,
    run: string,
    { token, ...pointed }: InspectPage,
    signal: AbortSignal,
  ): Promise<PageInspection> {
    const seen = await this.ask(caller, run, { token, look: { kind: 'elements', ...pointed } }, signal);
    if ('elements' in seen) return seen;
    throw unheard();
  }

  /** @throws as `look` */
  async choices(caller: Caller, run: string, { token }: ReadDropdown, signal: AbortSignal): Promise<DropdownOptions> {
    const seen = await this.ask(caller, run, { token, look: { kind: 'dropdown' } }, signal);
    if ('dropdown' in seen) return seen;
    throw unheard();
  }

  /** @throws as `look`; PilothouseError PAYLOAD_TOO_LARGE */
  async copy(caller: Caller, run: string, { token, cut }: CopySelection, signal: AbortSignal): Promise<CopiedText> {
    const inputs = [{ kind: 'key' as const, key: cut ? 'Control+X' : 'Control+C' }];
    const seen = await this.ask(caller, run, { token, look: { kind: 'selection' }, inputs }, signal);
    if ('text' in seen) return seen;
    throw unheard();
  }

  /** Inspects the page after these inputs. */
  private async ask(caller: Caller, run: string, asked: Asked, signal: AbortSignal): Promise<PageInspectionReply> {
    const { token, look, inputs = [] } = asked;
    await this.runs.find(caller, run);
    const steer = async (): Promise<[Attempt, ControlInputBatch]> => {
      const wheel = await this.way.control.acceptInput(run, { holder: operatorOf(caller).holder, token });
      if (!wheel) throw await this.rejection(caller, run);
      const { epoch, operator: by, n } = wheel;
      return [
        { run, epoch },
        { token, operator: by, validMs: CONTROL_IDLE_MS, sequence: n, inputs },
      ];
    };
    return this.relay.inspect({ id: newId(), ...look }, steer, signal);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when they do not have it */
  async release(caller: Caller, run: string): Promise<RunView> {
    await this.runs.find(caller, run);
    const wheel = await this.way.control.release(run, operatorOf(caller));
    if (!wheel) throw await this.rejection(caller, run);
    // Earlier input is performed first: it uses the same channel.
    await this.tell(wheel, 0, 0, []);
    await this.way.control.continueRun(run, caller.name);
    return (await this.runs.find(caller, run)).view;
  }

  private tell(
    { run, epoch, token, operator: driver }: ControlSessionRow,
    validMs: number,
    n: number,
    inputs: SendControlInput['inputs'],
  ) {
    return this.relay.sendInput({ run, epoch }, { token, operator: driver, validMs, sequence: n, inputs });
  }

  /** Reason why input is rejected. */
  private async rejection(caller: Caller, run: string): Promise<PilothouseError> {
    const [{ view }, holder] = await Promise.all([this.runs.find(caller, run), this.way.control.holder(run)]);
    if (isTerminal(view.status)) return conflict(`The run is ${view.status}`);
    if (holder && holder.holder !== operatorOf(caller).holder)
      return conflict(`${holder.operator} has control, until ${holder.expiresAt.toISOString()} without input`);
    if (view.status === 'queued') return conflict('The run is queued: it has no browser open yet');
    if (view.worker === null)
      return conflict('The browser was closed while the run waited: reopen it, or answer the question');
    if (!holder) return conflict('You do not have control: it was released or never taken');
    if (view.status === 'running') return conflict('The run has not stopped yet: it does so before its next step');
    return conflict('The token is not the one of your wheel');
  }
}

/** A worker of before, which knows of nothing but looks. */
const unheard = () => new PilothouseError('UNAVAILABLE', 'The worker of the run is too old to answer this: upgrade it');

const conflict = (message: string) => new PilothouseError('CONFLICT', message);

const operatorOf = ({ user, key, name }: Caller): Operator => ({ holder: user?.id ?? key?.id ?? '', operator: name });

const viewOf = ({ token, operator: driver, expiresAt: until }: ControlSessionRow): ControlSession => ({
  token,
  operator: driver,
  expiresAt: until.toISOString(),
});
