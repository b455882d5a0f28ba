package train

// ClockEvery is the number of decisions between looks at the clock.
const ClockEvery = clockEvery
