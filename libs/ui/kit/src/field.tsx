import { useId, type ComponentProps, type ReactNode } from 'react';
import { classes } from './class-names.ts';

const frame =
  'w-full rounded-md border border-edge bg-surface text-sm text-text placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad';
const box = `${frame} px-2.5`;

/** Class names of a one-line text field. */
export const fieldClass = `${box} h-8 max-md:h-9`;

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input className={classes(fieldClass, className)} {...rest} />
);

const fileButton =
  'file:mr-2.5 file:cursor-pointer file:rounded file:border-0 file:bg-raised file:px-2 file:py-0.5 file:text-text hover:file:bg-line';

/** File field with a styled button. */
export const FileInput = ({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) => (
  <input
    type="file"
    className={classes(
      frame,
      fileButton,
      'h-8 px-1 leading-[1.875rem] max-md:h-9 max-md:leading-[2.125rem]',
      className,
    )}
    {...rest}
  />
);

export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select className={classes(box, 'h-8 pr-7 max-md:h-9', className)} {...rest} />
);

export const TextArea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea className={classes(box, 'py-1.5', className)} {...rest} />
);

interface ControlAttributes {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Error message that explains how to correct the value. */
  error?: string | undefined;
  className?: string;
  /** Renders the control with the given attributes. */
  children: (attributes: ControlAttributes) => ReactNode;
}

/** Control with label, hint and error. */
export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId();
  const descriptionId = error || hint ? `${id}-about` : undefined;
  return (
    <div className={classes('grid gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(descriptionId && { 'aria-describedby': descriptionId }),
        ...(error ? { 'aria-invalid': true as const } : {}),
      })}
      {descriptionId && (
        <p id={descriptionId} className={classes('text-xs', error ? 'text-bad' : 'text-muted')}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
