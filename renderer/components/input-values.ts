import type { GetInputPropsReturnType } from '@mantine/form'

/** Makes the props of a number input whose empty value is null, as in the contract, not ''. */
export const numberOrNull = ({ value, onChange, ...props }: GetInputPropsReturnType) => ({
  ...props,
  value: asNumber(value),
  onChange: (typed: number | string) => onChange(typed === '' ? null : Number(typed)),
})

/**
 * Reads a typed whole number. Any other text gives 0, which the server refuses: NaN would be left
 * out of the request, and `2.000` would become 2.
 */
export const typedNumber = (text: string): number => (/^\s*\d+\s*$/.test(text) ? Number(text) : 0)

/** Makes the props of a text input whose empty value is null. */
export const textOrNull = ({ value, onChange, ...props }: GetInputPropsReturnType) => ({
  ...props,
  value: typeof value === 'string' ? value : '',
  onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value || null),
})

const asNumber = (value: unknown): number | string => (typeof value === 'number' && !Number.isNaN(value) ? value : '')
