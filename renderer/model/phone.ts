const TWO_DIGIT =
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'
const TWO_DIGIT_CODES = new Set(TWO_DIGIT.split(' '))

function countryCodeLength(digits: string): number {
  if (digits.startsWith('1') || digits.startsWith('7')) return 1
  return TWO_DIGIT_CODES.has(digits.slice(0, 2)) ? 2 : 3
}

/** How many digits the first groups have, by the length of the national number; the rest goes on in fours. */
const GROUPS: Record<number, number[]> = { 6: [3, 3], 7: [3, 4], 9: [3, 3, 3], 10: [3, 3, 4], 11: [3, 4, 4] }

/** `6281234567890` → `+62 812-3456-7890`, for reading only. */
export function formatPhone(digits: string): string {
  if (!/^\d{7,15}$/.test(digits)) return digits
  const cut = countryCodeLength(digits)
  const national = digits.slice(cut)
  const parts: string[] = []
  let at = 0
  for (const size of GROUPS[national.length] ?? [4, 4, 4, 4]) {
    if (at < national.length) parts.push(national.slice(at, at + size))
    at += size
  }
  return `+${digits.slice(0, cut)} ${parts.join('-')}`
}
