import { Inject } from '@nestjs/common';
import { CONTROL_IDLE_MS } from '@pilothouse/contract/control/control-limits';
import type {
  ReadDropdown,
  CopySelection,
  SendControlInput,
  InspectPage,
  DropdownOptions,
  CopiedText,
  PageQuery,
  PageInspection,
  ControlSession,
} from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { Operator, ControlSessionRow } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { RunsService } from '../runs/runs.service.ts';
import { UploadsService } from '../uploads/uploads.service.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { ControlRelay, type ControlInputBatch, type PageInspectionReply } from './control-relay.ts';

interface InspectionRequest {
  readonly token: number;
  readonly query: Omit<PageQuery, 'id'>;
  readonly inputs?: SendControlInput['inputs'];
}

/** Manual control of the browser of a run. */
export class ControlService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunLifecycle) private readonly lifecycle: RunLifecycle,
    @Inject(ControlRelay) private readonly relay: ControlRelay,
    @Inject(UploadsService) private readonly uploads: Pick<UploadsService, 'problemsOf'>,
  ) {}

  /** @throws PilothouseError NOT_FOUND; CONFLICT when another operator has control, or the run has no open surface */
  async take(caller: Caller, run: string): Promise<ControlSession> {
    await this.runs.find(caller, run);
    const session = await this.lifecycle.control.take(run, operatorOf(caller));
    if (!session) throw await this.rejectionError(caller, run);
    // Sent again when nothing has changed: the earlier message may be lost.
    await this.notify(session, CONTROL_IDLE_MS, 0, []);
    return viewOf(session);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when the input does not count; VALIDATION_FAILED for a file that was not uploaded */
  async sendInput(caller: Caller, run: string, { token, inputs }: SendControlInput): Promise<ControlSession> {
    await this.runs.find(caller, run);
    const files = await this.filesOf(caller, inputs);
    const session = await this.lifecycle.control.acceptInput(run, { holder: operatorOf(caller).holder, token, files });
    if (!session) throw await this.rejectionError(caller, run);
    await this.notify(session, CONTROL_IDLE_MS, session.n, inputs);
    return viewOf(session);
  }

  /** Ids of the uploads for file choosers. @throws PilothouseError VALIDATION_FAILED */
  private async filesOf(caller: Caller, inputs: SendControlInput['inputs']): Promise<string[]> {
    const references = inputs.flatMap((input, index) =>
      input.kind === 'dialog'
        ? (input.files ?? []).map((id, fileIndex) => ({
            pointer: `/inputs/${index}/files/${fileIndex}`,
            id: id.toLowerCase(),
          }))
        : [],
    );
    const fields = references.length > 0 ? await this.uploads.problemsOf(caller.project.id, references) : [];
    if (fields.length > 0) throw validationError('body', fields);
    return references.map(({ id }) => id);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when the operator does not have control; UNAVAILABLE without an answer; as the worker reports */
  async inspect(
    caller: Caller,
    run: string,
    { token, ...pointed }: InspectPage,
    signal: AbortSignal,
  ): Promise<PageInspection> {
    const inspection = await this.inspectAfter(caller, run, { token, query: { kind: 'elements', ...pointed } }, signal);
    if ('elements' in inspection) return inspection;
    throw noInspectionAnswer();
  }

  /** @throws as `inspect` */
  async readDropdown(
    caller: Caller,
    run: string,
    { token }: ReadDropdown,
    signal: AbortSignal,
  ): Promise<DropdownOptions> {
    const inspection = await this.inspectAfter(caller, run, { token, query: { kind: 'dropdown' } }, signal);
    if ('dropdown' in inspection) return inspection;
    throw noInspectionAnswer();
  }

  /** @throws as `inspect`; PilothouseError PAYLOAD_TOO_LARGE */
  async copy(caller: Caller, run: string, { token, cut }: CopySelection, signal: AbortSignal): Promise<CopiedText> {
    const inputs = [{ kind: 'key' as const, key: cut ? 'Control+X' : 'Control+C' }];
    const inspection = await this.inspectAfter(caller, run, { token, query: { kind: 'selection' }, inputs }, signal);
    if ('text' in inspection) return inspection;
    throw noInspectionAnswer();
  }

  /** Inspects the page after these inputs. */
  private async inspectAfter(
    caller: Caller,
    run: string,
    inspection: InspectionRequest,
    signal: AbortSignal,
  ): Promise<PageInspectionReply> {
    const { token, query, inputs = [] } = inspection;
    await this.runs.find(caller, run);
    const acceptBatch = async (): Promise<[Attempt, ControlInputBatch]> => {
      const session = await this.lifecycle.control.acceptInput(run, { holder: operatorOf(caller).holder, token });
      if (!session) throw await this.rejectionError(caller, run);
      const { epoch, operator: sessionOperator, n } = session;
      return [
        { run, epoch },
        { token, operator: sessionOperator, validMs: CONTROL_IDLE_MS, sequence: n, inputs },
      ];
    };
    return this.relay.inspect({ id: newId(), ...query }, acceptBatch, signal);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when the caller does not have control */
  async release(caller: Caller, run: string): Promise<RunView> {
    await this.runs.find(caller, run);
    const session = await this.lifecycle.control.release(run, operatorOf(caller));
    if (!session) throw await this.rejectionError(caller, run);
    // Earlier input is performed first: it uses the same channel.
    await this.notify(session, 0, 0, []);
    await this.lifecycle.control.continueRun(run, caller.name);
    return (await this.runs.find(caller, run)).view;
  }

  private notify(
    { run, epoch, token, operator }: ControlSessionRow,
    validMs: number,
    sequence: number,
    inputs: SendControlInput['inputs'],
  ) {
    return this.relay.sendInput({ run, epoch }, { token, operator, validMs, sequence, inputs });
  }

  /** Reason why input is rejected. */
  private async rejectionError(caller: Caller, run: string): Promise<PilothouseError> {
    const [{ view }, holder] = await Promise.all([this.runs.find(caller, run), this.lifecycle.control.holder(run)]);
    if (isTerminal(view.status)) return conflict(`The run is ${view.status}`);
    if (holder && holder.holder !== operatorOf(caller).holder)
      return conflict(`${holder.operator} has control (released at ${holder.expiresAt.toISOString()} without input).`);
    if (view.status === 'queued') return conflict('The run is queued and has no open browser yet.');
    if (view.worker === null)
      return conflict('The browser was closed while the run waited. Reopen it, or answer the question.');
    if (!holder) return conflict('You do not have control. Take control first.');
    if (view.status === 'running') return conflict('The run has not stopped yet. It stops before its next step.');
    return conflict('The control token is incorrect.');
  }
}

/** Error for an older worker, which supports only the query `elements`. */
const noInspectionAnswer = () =>
  new PilothouseError('UNAVAILABLE', 'The worker of the run does not support this request. Upgrade the worker.');

const conflict = (message: string) => new PilothouseError('CONFLICT', message);

const operatorOf = ({ user, key, name }: Caller): Operator => ({ holder: user?.id ?? key?.id ?? '', operator: name });

const viewOf = ({ token, operator, expiresAt }: ControlSessionRow): ControlSession => ({
  token,
  operator,
  expiresAt: expiresAt.toISOString(),
});
