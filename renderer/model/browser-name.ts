/** Browsers in a User-Agent. The first match counts: others also name Chrome or Safari. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (names: [RegExp, string][], text: string): string[] => {
  const found = names.find(([pattern]) => pattern.test(text))
  return found === undefined ? [] : [found[1]]
}

/** Returns `Chrome, Android` from a User-Agent; its beginning if browser and system are unknown. */
export function browserName(userAgent: string): string {
  const parts = [...nameIn(BROWSERS, userAgent), ...nameIn(SYSTEMS, userAgent)]
  return parts.length === 0 ? userAgent.slice(0, 40) : parts.join(', ')
}
