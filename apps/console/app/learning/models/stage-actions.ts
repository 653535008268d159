import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';

/** A change of a registered model. */
export interface StageAction {
  intent: 'shadow' | 'canary' | 'promote' | 'roll-back' | 'delete';
  verb: string;
  text: string;
  isDangerous?: boolean;
  /** Field for a share in percent. */
  share?: { label: string; hint: string; max: number; defaultValue: number };
}

/** Changes that are possible in a stage. */
export function stageActionsOf({
  stage,
  canaryPercent,
  shadowPercent,
}: Pick<RegisteredModel, 'stage' | 'canaryPercent' | 'shadowPercent'>): StageAction[] {
  const shadow: StageAction = {
    ...{ intent: 'shadow', verb: stage === 'shadow' ? 'Change shadow share' : 'Start shadow' },
    text: 'The model also receives a share of the calls, and its actions are compared with those of the runs. Runs are not affected. The calls count for the budget of the project.',
    share: {
      ...{ label: 'Share of the calls (%)', hint: '1 to 100. Calls are chosen at random.' },
      ...{ max: 100, defaultValue: shadowPercent ?? 20 },
    },
  };
  const canary: StageAction = {
    ...{ intent: 'canary', verb: stage === 'canary' ? 'Change share' : 'Start canary' },
    text: 'A share of the runs uses the model. It is rolled back if too many of them fail.',
    share: {
      ...{ label: 'Share of the runs (%)', hint: '1 to 99. The id of a run decides whether it uses the model.' },
      ...{ max: 99, defaultValue: canaryPercent ?? 10 },
    },
  };
  const promote: StageAction = {
    ...{ intent: 'promote', verb: 'Promote' },
    text: 'All model calls with its role and surface use the model. The active model is retired.',
  };
  const rollBack: StageAction = {
    ...{ intent: 'roll-back', verb: 'Roll back', isDangerous: true },
    text:
      stage === 'shadow'
        ? 'The model gets no more calls. Runs are not affected.'
        : 'The next model call uses the models of the project again.',
  };
  const remove: StageAction = {
    ...{ intent: 'delete', verb: 'Delete', isDangerous: true },
    text: 'The entry and its history are deleted. The model at the provider stays.',
  };
  switch (stage) {
    case 'active':
      return [rollBack];
    case 'canary':
      return [canary, promote, rollBack];
    case 'shadow':
      return [shadow, canary, promote, rollBack];
    default:
      return [shadow, canary, promote, remove];
  }
}
