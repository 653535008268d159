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
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap select-none',
    'disabled:cursor-not-allowed disabled:opacity-50 max-md:h-9 [&>svg]:size-4 [&>svg]:shrink-0',
    icon ? 'w-8 max-md:w-9' : 'px-3',
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
