import { Field, Input, TextArea } from '@pilothouse/ui-kit';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { CheckGroup } from '../check-group.tsx';
import { listFields, qualityChoices, sourceChoices, type ListField } from './dataset-form.ts';

const listLabels: Readonly<Record<ListField, { label: string; hint: string; placeholder: string }>> = {
  workflows: {
    label: 'Workflows',
    hint: 'Names, one per line. Blank: all.',
    placeholder: 'order-supplies',
  },
  sites: {
    label: 'Sites',
    hint: 'Hosts or ids of applications, one per line. Blank: all.',
    placeholder: 'shop.example.com',
  },
  models: {
    label: 'Models',
    hint: 'As provider/model, one per line. Blank: all.',
    placeholder: 'gemini/gemini-2.5-flash',
  },
  projects: {
    label: 'Further projects',
    hint: 'Names, one per line. Only runs of projects that share their traces are used.',
    placeholder: 'back-office',
  },
};

const surfaceChoices = Object.fromEntries(Object.entries(surfaceTraits).map(([kind, { label }]) => [kind, label]));

/** Fields of a dataset's query, read by `newDatasetOf`. All conditions must hold. */
export const DatasetQueryFields = ({ errorOf }: { errorOf(field: string): string | undefined }) => (
  <div className="grid items-start gap-4 md:grid-cols-2">
    <CheckGroup
      legend="Qualities"
      name="qualities"
      choices={qualityChoices}
      defaultValues={['good', 'bad']}
      hint="Preference pairs are made of bad steps with a correction."
      error={errorOf('qualities')}
    />
    <CheckGroup
      legend="Quality set by"
      name="sources"
      choices={sourceChoices}
      defaultValues={[]}
      hint="None selected: all."
      error={errorOf('sources')}
    />
    <CheckGroup
      legend="Surfaces"
      name="surfaces"
      choices={surfaceChoices}
      defaultValues={[]}
      hint="None selected: all."
      error={errorOf('surfaces')}
    />
    <div className="grid grid-cols-2 items-start gap-4">
      <Field label="First day (UTC)" hint="Creation of the run, as YYYY-MM-DD." error={errorOf('from')}>
        {(controlProps) => <Input {...controlProps} name="from" placeholder="2026-11-01" />}
      </Field>
      <Field label="Last day (UTC)" error={errorOf('to')}>
        {(controlProps) => <Input {...controlProps} name="to" placeholder="2026-11-30" />}
      </Field>
    </div>
    {listFields.map((field) => {
      const { label, hint, placeholder } = listLabels[field];
      return (
        <Field key={field} label={label} hint={hint} error={errorOf(field)}>
          {(controlProps) => <TextArea {...controlProps} name={field} rows={2} placeholder={placeholder} />}
        </Field>
      );
    })}
  </div>
);
