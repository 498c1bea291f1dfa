import { downtimePassword, startProduct } from './product.ts'

/** Starts the product, which builds the web app meanwhile; E2E_BASE_URL names one that is running already. */
const globalSetup = async () => {
  if (process.env.E2E_BASE_URL) return
  // The journeys sign in far more often than people do; a billing run between them would bill the requisitions they need.
  const product = await startProduct({
    SIGN_IN_LIMIT_PER_MINUTE: '10000',
    RATE_LIMIT_PER_MINUTE: '100000',
    BILLING_RUN_AT: 'off',
    DOWNTIME_PASSWORD: downtimePassword,
  })
  process.env.E2E_BASE_URL = product.url
  return product.stop
}

// biome-ignore lint/style/noDefaultExport: Playwright calls the default export
export default globalSetup
