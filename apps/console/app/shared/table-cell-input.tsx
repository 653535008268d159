import { Input } from '@pilothouse/ui-kit';

export interface TableCellInputProps {
  /** What is read out: the heads of its row and its column. */
  label: string;
  field: string;
  value: string | undefined;
  disabled: boolean;
  /** What is wrong with it. */
  error: string | undefined;
  placeholder?: string | undefined;
}

/** A field in a table: its name stands at the head of its row and its column. */
export const TableCellInput = ({ label, field, value = '', disabled, error, placeholder }: TableCellInputProps) => (
  <>
    <Input
      aria-label={label}
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? `${field}-about` : undefined}
      name={field}
      defaultValue={value}
      disabled={disabled}
      placeholder={placeholder}
      className="font-mono text-xs"
    />
    {error && (
      <p id={`${field}-about`} role="alert" className="mt-1 text-xs text-bad">
        {error}
      </p>
    )}
  </>
);
