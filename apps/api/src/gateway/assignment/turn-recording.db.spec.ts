import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import type { TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

describe('the recording of turns in an assignment', () => {
  const harness = useGatewayHarness();
  const { worker, submit } = harness;
  const steps = [{ action: 'press', key: 'Enter' }];

  const setLearning = (learning: LearningSettings | null) =>
    harness.pool.query('UPDATE project SET learning = $2 WHERE id = $1', [
      harness.project,
      learning && JSON.stringify(learning),
    ]);
  afterEach(() => setLearning(null));

  it.each<[run: TurnRecording | undefined, workflow: TurnRecording | undefined, project: TurnRecording | null, string]>(
    [
      [undefined, undefined, null, 'off'],
      [undefined, undefined, 'failures', 'failures'],
      [undefined, 'all', 'failures', 'all'],
      ['off', 'all', 'failures', 'off'],
      [undefined, undefined, 'sample', 'all'],
    ],
  )('of a run with %s, a workflow with %s and a project with %s', async (run, workflow, project, expected) => {
    await setLearning(project && { record: { turns: project, samplePercent: 100 }, shareTraces: false });
    const connected = worker();
    await connected.connect();
    const definition = workflowDefinitionSchema.parse({
      name: 'spec',
      steps,
      ...(workflow && { capture: { turns: workflow } }),
    });
    const id = await submit({ definition, capture: { screenshots: 'none', ...(run && { turns: run }) } });
    const { assignment } = await until('the run is assigned', () =>
      connected.received
        .flatMap((message) => (message.type === 'assign' ? [message] : []))
        .find((message) => message.assignment.run === id),
    );
    expect(assignment.recordTurns).toBe(expected);
  });
});
