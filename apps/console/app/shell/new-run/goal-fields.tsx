import { Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { surfaceLabel } from '../../shared/surface-labels.ts';
import { errorOf, RunOptions, type Fleets, type RunFailure } from './run-options.tsx';

const surfaces = ['browser', 'desktop'] as const;
type GoalSurface = (typeof surfaces)[number];

/** Goal, surface and start page or applications. */
export function GoalFields({ fleets, failure }: { fleets: Fleets; failure: RunFailure }) {
  const [surface, setSurface] = useState<GoalSurface>('browser');
  return (
    <>
      <Field label="Goal" hint="The task for the agent, and the result to return" error={errorOf(failure, '/goal')}>
        {(controlProps) => (
          <TextArea
            {...controlProps}
            name="goal"
            rows={4}
            required
            maxLength={20_000}
            placeholder="Find the opening hours of the library and return them"
          />
        )}
      </Field>
      <div className="grid gap-4 md:grid-cols-[10rem_minmax(0,1fr)]">
        <Field label="Surface">
          {(controlProps) => (
            <Select
              {...controlProps}
              name="surface"
              value={surface}
              onChange={({ target }) => setSurface(target.value as GoalSurface)}
            >
              {surfaces.map((one) => (
                <option key={one} value={one}>
                  {surfaceLabel(one)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {surface === 'browser' ? (
          <Field label="Start page (optional)" error={errorOf(failure, '/url')}>
            {(controlProps) => (
              <Input {...controlProps} key="url" name="url" type="url" placeholder="https://example.com" />
            )}
          </Field>
        ) : (
          <Field
            label="Applications (optional)"
            hint="Application ids, separated by commas. The run opens the first one."
            error={errorOf(failure, '/apps')}
          >
            {(controlProps) => <Input {...controlProps} key="apps" name="apps" placeholder="org.xfce.mousepad" />}
          </Field>
        )}
      </div>
      <RunOptions fleets={fleets} surface={surface} failure={failure} />
    </>
  );
}
