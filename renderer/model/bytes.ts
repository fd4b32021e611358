const UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** 48 MB, 1.5 GB */
export function formatBytes(bytes: number, language: string): string {
  const step = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 1), UNITS.length)
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step - 1] ?? 'kilobyte',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** step)
}
