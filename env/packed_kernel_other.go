//go:build !amd64 || purego

package env

// kernelParams is empty: this processor has no kernel, and [packedEngine] steps
// every game by stepScalar.
type kernelParams struct{}

func newKernelParams(*packedEngine) *kernelParams { return nil }

func stepKernel(*kernelParams, *packedEngine, *Action, *Batch, int, int) int {
	panic("env: no kernel for this processor")
}
