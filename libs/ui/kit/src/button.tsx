import type { ComponentProps } from 'react';
import { classes } from './class-names.ts';

const variants = {
  primary: 'bg-primary text-on-primary hover:brightness-110 border-transparent',
  plain: 'bg-surface text-text border-line hover:bg-raised',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-raised hover:text-text',
  danger: 'bg-surface text-bad border-line hover:bg-raised',
} as const;

export interface ButtonStyle {
  variant?: keyof typeof variants;
  /** Square button with an icon only. Requires an `aria-label`. */
  icon?: boolean;
}

/** Class names of a button, for links. */
export const buttonClass = ({ variant = 'plain', icon = false }: ButtonStyle = {}, className?: string): string =>
  classes(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium select-none',
    'disabled:cursor-not-allowed disabled:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0',
    // A long label wraps in a narrow window.
    icon ? 'size-8 max-md:size-9' : 'min-h-8 px-3 max-md:min-h-9 max-md:max-w-full max-md:py-1 md:whitespace-nowrap',
    variants[variant],
    className,
  );

export const Button = ({
  variant,
  icon,
  className,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & ButtonStyle) => (
  <button type={type} className={buttonClass({ variant, icon }, className)} {...rest} />
);
