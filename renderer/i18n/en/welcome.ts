export const welcome = {}
