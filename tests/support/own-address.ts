import { networkInterfaces } from 'node:os'

/** An IPv4 address of this machine beside loopback, where it has one. */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
