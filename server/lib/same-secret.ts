import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two secrets in a time that says nothing about how much of them is alike, nor about their
 * lengths.
 */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
