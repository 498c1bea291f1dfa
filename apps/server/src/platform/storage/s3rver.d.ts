// The package brings no types; only what the tests use is named.
declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  interface Options {
    port: number
    address: string
    silent: boolean
    directory: string
    configureBuckets: { name: string }[]
  }
  class S3rver {
    constructor(options: Options)
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
  // biome-ignore lint/style/noDefaultExport: the package's own shape
  export default S3rver
}
