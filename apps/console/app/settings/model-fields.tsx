import type { ModelsView } from '@pilothouse/contract/api/project.routes';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { Cell, Field, Select, Table } from '@pilothouse/ui-kit';
import { modelRoleRows, computerToolNames, dialectNames, hiddenSettings, modelField, numbers } from './model-form.ts';
import { TableCellInput } from '../shared/table-cell-input.tsx';

export interface ModelFieldsProps {
  models: ProjectModels | null;
  /** Models of the installation; null: unknown. */
  installation: ModelsView | null;
  disabled: boolean;
  /** Error message of a field. */
  errorOf: (field: string) => string | undefined;
}

/** Models by purpose, one row each. */
export function ModelFields({ models, installation, disabled, errorOf }: ModelFieldsProps) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-xs text-muted">
        The first available model of a row is used; the others are fallbacks. Blank: installation default
        {installation && installation.use.length > 0 ? ` (${installation.use.join(', ')})` : ''}. Provider API keys are
        configured on the server.
      </p>
      {installation && installation.endpoints.length > 0 && (
        <p className="text-xs text-muted">
          Model names: <span className="font-mono">endpoint/model</span>. Endpoints:{' '}
          <span className="font-mono">{installation.endpoints.map(({ name }) => name).join(', ')}</span>.
        </p>
      )}
      <Table
        label="Models by purpose"
        isFirstFixed
        head={['Purpose', 'Models', ...numbers.map(({ name }) => name), 'Action format', 'Computer tool']}
      >
        {modelRoleRows.map(({ role, name, description }) => {
          const choice = models?.[role];
          const useField = modelField(role, 'use');
          return (
            <tr key={role}>
              <Cell className="whitespace-nowrap">
                <span title={description}>{name}</span>
              </Cell>
              <Cell className="min-w-60 py-1">
                <TableCellInput
                  label={`Models for ${name}`}
                  field={useField}
                  value={choice?.use.join(', ')}
                  disabled={disabled}
                  error={errorOf(useField)}
                  placeholder={role === 'default' ? 'gemini/gemini-2.5-flash' : undefined}
                />
              </Cell>
              {numbers.map(({ key, name: number }) => {
                const field = modelField(role, key);
                return (
                  <Cell key={key} className="min-w-24 py-1">
                    <TableCellInput
                      label={`${number} for ${name}`}
                      field={field}
                      value={choice?.[key]?.toString()}
                      disabled={disabled}
                      error={errorOf(field)}
                    />
                  </Cell>
                );
              })}
              <Cell className="min-w-40 py-1">
                <input type="hidden" name={modelField(role, 'hidden')} value={hiddenSettings(choice ?? {})} />
                <Select
                  aria-label={`Action format for ${name}`}
                  name={modelField(role, 'dialect')}
                  defaultValue={choice?.dialect ?? ''}
                  disabled={disabled}
                  className="text-xs"
                >
                  <option value="">Auto-detect</option>
                  {Object.entries(dialectNames).map(([dialect, dialectName]) => (
                    <option key={dialect} value={dialect}>
                      {dialectName}
                    </option>
                  ))}
                </Select>
              </Cell>
              <Cell className="min-w-40 py-1">
                <Select
                  aria-label={`Computer tool for ${name}`}
                  name={modelField(role, 'computerTool')}
                  defaultValue={choice?.computerTool ?? ''}
                  disabled={disabled}
                  className="text-xs"
                >
                  <option value="">Auto-detect</option>
                  {Object.entries(computerToolNames).map(([tool, toolName]) => (
                    <option key={tool} value={tool}>
                      {toolName}
                    </option>
                  ))}
                </Select>
              </Cell>
            </tr>
          );
        })}
      </Table>
      <Field label="Prompt logging" hint="Stored as run artifacts, secrets masked" className="max-w-80">
        {(controlProps) => (
          <Select {...controlProps} name="models.trace" defaultValue={models?.trace ?? ''} disabled={disabled}>
            <option value="">Off (workflows may turn it on)</option>
            <option value="full">On</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
