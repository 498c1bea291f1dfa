const waitMs = 100

/** For development: `?simulateError=503` in the address makes every call fail with this status. Not part of a production build. */
export const withSimulatedErrors =
  (send: typeof fetch, search = () => window.location.search): typeof fetch =>
  async (...request) => {
    const status = Number(new URLSearchParams(search()).get('simulateError'))
    if (!Number.isInteger(status) || status < 400 || status > 599) return send(...request)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    return Response.json({ message: `Simulated error ${status}` }, { status })
  }
