import { apiFrozen, apiKilled, apisKilled, apiStopped, eventsTwice } from './api-faults.ts';
import { browserKilled, pageKilled } from './browser-faults.ts';
import { cancelledAndDrained, cancelledAndKilled, cancelledAndStopped } from './cancel-faults.ts';
import { apiClock, workerClock } from './clock-faults.ts';
import { controllerKilled } from './controller-faults.ts';
import { cancelRace, runBurst, duplicateSubmits } from './load-faults.ts';
import { workerDrained, workerKilledDraining } from './drain-faults.ts';
import { workersKilledInDoubt } from './interrupted-step-faults.ts';
import { workerKilledUnderControl } from './manual-control-faults.ts';
import { pausedEverywhere } from './failpoint-faults.ts';
import type { Fault } from './fault.ts';
import { diskFull, storeRefuses } from './object-store-faults.ts';
import { exitWithoutSuccessor, exitWithSuccessor } from './worker-exit-faults.ts';
import { postgresKilledWhileCaching, workerKilledWhileCaching, cachedAfterLease } from './action-cache-faults.ts';
import { pausedAndRecovered, pausedForMoments } from './failpoint-timing.ts';
import { healerKilled, proposerKilled } from './healing-faults.ts';
import { workersKilledAndRestarted, workersKilledWithoutRecovery } from './no-recovery-faults.ts';
import {
  postgresCrashed,
  postgresRestarted,
  redisFlushed,
  redisPaused,
  redisRestarted,
  writesBroken,
} from './redis-database-faults.ts';
import {
  loneWorkerStopped,
  socketCut,
  socketFrozen,
  socketsClosed,
  socketSlow,
  workerKilled,
  workerStopped,
} from './worker-faults.ts';

/** Every fault without a failpoint. */
export const faults = {
  'worker killed': workerKilled,
  'worker stopped, then continued': workerStopped,
  'lone worker stopped, then continued': loneWorkerStopped,
  'socket cut': socketCut,
  'socket frozen': socketFrozen,
  'socket slow': socketSlow,
  'sockets closed': socketsClosed,
  'one API killed': apiKilled,
  'both APIs killed': apisKilled,
  'one API stopped': apiStopped,
  'one API stopped, then continued': apiFrozen,
  'events come twice': eventsTwice,
  'one API paused everywhere': pausedEverywhere,
  'all paused briefly': pausedForMoments,
  'all paused briefly, runs recovered': pausedAndRecovered,
  'worker exits, others continue': exitWithSuccessor,
  'worker exits without successor': exitWithoutSuccessor,
  'controller killed': controllerKilled,
  'Redis flushed': redisFlushed,
  'Redis restarted': redisRestarted,
  'Redis paused': redisPaused,
  'PostgreSQL restarted': postgresRestarted,
  'writes broken': writesBroken,
  'object store refuses': storeRefuses,
  'disk full': diskFull,
  'clock of a worker stepped': workerClock,
  'clock of an API stepped': apiClock,
  '500 runs at once': runBurst,
  'cancel races completion': cancelRace,
  'duplicate submits': duplicateSubmits,
  'worker killed as it heals': healerKilled,
  'APIs killed as they propose': proposerKilled,
  'worker killed as it caches': workerKilledWhileCaching,
  'API caches after the lease': cachedAfterLease,
  'PostgreSQL killed as it caches': postgresKilledWhileCaching,
  'worker killed under control': workerKilledUnderControl,
  'worker drained': workerDrained,
  'worker killed as it drains': workerKilledDraining,
  'browser killed': browserKilled,
  'page killed': pageKilled,
  'PostgreSQL killed': postgresCrashed,
  'cancelled, and the worker killed': cancelledAndKilled,
  'cancelled, and the worker stopped': cancelledAndStopped,
  'cancelled, and the worker drained': cancelledAndDrained,
  'workers killed without recovery': workersKilledWithoutRecovery,
  'workers killed, runs restarted': workersKilledAndRestarted,
  'workers killed, two steps interrupted': workersKilledInDoubt,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
