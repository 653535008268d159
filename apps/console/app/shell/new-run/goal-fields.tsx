import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_SURFACE, surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { errorOf, RunOptions, type Fleets, type RunFailure } from './run-options.tsx';

/** Goal, surface and start page or applications. */
export function GoalFields({ fleets, failure }: { fleets: Fleets; failure: RunFailure }) {
  const [surface, setSurface] = useState<SurfaceKind>(DEFAULT_SURFACE);
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
              onChange={({ target }) => setSurface(target.value as SurfaceKind)}
            >
              {Object.entries(surfaceTraits).map(([kind, { label }]) => (
                <option key={kind} value={kind}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {surfaceTraits[surface].isPaged ? (
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
