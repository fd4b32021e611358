export const tryIt = {}
