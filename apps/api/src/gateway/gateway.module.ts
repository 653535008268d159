import { Module } from '@nestjs/common';
import { ScreenParseCache } from '@pilothouse/infra-queue';
import { hashToken } from '@pilothouse/infra-vault';
import { APP_CONTEXT, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { ControlRelayModule } from '../control/control.module.ts';
import { ControlRelay } from '../control/control-relay.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { LiveRelayModule } from '../live/live.module.ts';
import { LiveFrameRelay } from '../live/live-frame-relay.ts';
import { recordOutOfMemory } from '../metrics/oom-condition.ts';
import { recordWorkerCondition } from '../metrics/worker-conditions.ts';
import { ModelCallsModule } from '../models/models.module.ts';
import { ModelCallService } from '../models/model-call.service.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { AgentThinkingModule } from '../runs/events/agent-thinking.module.ts';
import { OmniParser } from '@pilothouse/model';
import { AgentThinkingRelay } from '../runs/events/agent-thinking-relay.ts';
import { declareScreenParses } from '../screen-parsing/screen-parse.metrics.ts';
import { ScreenParseService } from '../screen-parsing/screen-parse.service.ts';
import { createSurfaceStateSealer, unsealSecrets } from '../sealing/sealed-data.ts';
import { WorkerMetrics } from './messages/worker-metrics.ts';
import { WorkerHandshake } from './socket/worker-handshake.ts';
import { WorkerAdmission } from './worker-admission.ts';
import { WorkerGateway } from './worker-gateway.ts';
import { WorkerServer } from './worker-server.ts';

/** Connects to Redis only if a screen parser is configured. The metric exists in any case. */
function createScreenParseService({ config, pool, metrics, log }: AppContext): ScreenParseService | null {
  const { screenParser, redisUrl, redisPrefix: prefix } = config;
  const parses = declareScreenParses(metrics);
  if (!screenParser) return null;
  const cache = new ScreenParseCache({ redisUrl, prefix, ttlSeconds: screenParser.ttlSeconds, log });
  return new ScreenParseService({ pool, parser: new OmniParser(screenParser), cache, parses });
}

function createWorkerServer(
  context: AppContext,
  lifecycle: RunLifecycleServices,
  models: ModelCallService,
  liveFrames: LiveFrameRelay,
  agentThinking: AgentThinkingRelay,
  controlRelay: ControlRelay,
): WorkerServer {
  const { config, pool, objects, vault, metrics, appMetrics, log } = context;
  const { redisUrl, redisPrefix, leaseMs, renewMs } = config;
  const gateway = new WorkerGateway({
    pool,
    lifecycle,
    store: objects.store,
    transfers: objects.workerTransfers,
    unseal: (sealed, run) => unsealSecrets(vault, run, sealed),
    stateSealer: createSurfaceStateSealer(vault),
    vault,
    models,
    screenParseService: createScreenParseService(context),
    questionHoldMs: config.questionHoldMs,
    directDispatch: config.directDispatch,
    newId,
    redisUrl,
    redisPrefix,
    leaseMs,
    renewMs,
    liveFrames,
    agentThinking,
    controlRelay,
    workerMetrics: new WorkerMetrics(metrics, log, {
      onOutOfMemory: recordOutOfMemory(pool, log),
      onUnenforcedEgress: recordWorkerCondition('EgressNotEnforced', pool, log),
      onExternalWorker: recordWorkerCondition('ExternalWorker', pool, log),
    }),
    admission: new WorkerAdmission({ pool, metrics, fleets: config.fleets.map(({ name }) => name), newId, log }),
    onRenewed: appMetrics.flushed('leases'),
    log,
  });
  return new WorkerServer(gateway, new WorkerHandshake(pool, hashToken));
}

/** The server that workers connect to; `createApp` attaches it to the HTTP server. */
@Module({
  imports: [AgentThinkingModule, ControlRelayModule, LiveRelayModule, ModelCallsModule],
  providers: [
    {
      provide: WorkerServer,
      inject: [APP_CONTEXT, RUN_LIFECYCLE, ModelCallService, LiveFrameRelay, AgentThinkingRelay, ControlRelay],
      useFactory: createWorkerServer,
    },
  ],
})
export class GatewayModule {}
