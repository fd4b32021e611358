import type { GetInputPropsReturnType } from '@mantine/form'

/** For an input of numbers: empty is null, as in the contract, and not ''. */
export const numberOrNull = ({ value, onChange, ...props }: GetInputPropsReturnType) => ({
  ...props,
  value: asNumber(value),
  onChange: (typed: number | string) => onChange(typed === '' ? null : Number(typed)),
})

/**
 * A typed number. Anything else is 0, which is refused: as NaN it would be left out of the request,
 * and 2.000 would be 2.
 */
export const typedNumber = (text: string): number => (/^\s*\d+\s*$/.test(text) ? Number(text) : 0)

/** For an input of text whose empty value is null. */
export const textOrNull = ({ value, onChange, ...props }: GetInputPropsReturnType) => ({
  ...props,
  value: typeof value === 'string' ? value : '',
  onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value || null),
})

const asNumber = (value: unknown): number | string => (typeof value === 'number' && !Number.isNaN(value) ? value : '')
