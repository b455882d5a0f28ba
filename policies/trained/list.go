package trained

// List returns every policy, game by game.
func List() []Policy {
	return []Policy{
		{"pig-qlearning", "pigpen train --variant pig --agent qlearning --steps 2.5G --out pig-qlearning.msgpack",
			73, 0.49714203908794175, 0.002917467019745601},
		{"pig-montecarlo", "pigpen train --variant pig --agent montecarlo --steps 2.5G --out pig-montecarlo.msgpack",
			61, 0.497788453727547, 0.00227635578223806},
		{"pig-doubles-qlearning", "pigpen train --variant pig-doubles --agent qlearning --steps 2.5G --out pig-doubles-qlearning.msgpack",
			113, 0.4987058349594934, 0.001308882238332476},
		{"pig-doubles-montecarlo", "pigpen train --variant pig-doubles --agent montecarlo --steps 2.5G --out pig-doubles-montecarlo.msgpack",
			123, 0.4991932302830152, 0.0008245269992732673},
		{"pig-last-round-qlearning", "pigpen train --variant pig-last-round --agent qlearning --steps 2.5G --out pig-last-round-qlearning.msgpack",
			94, 0.4938355111479168, 0.006688908383546299},
		{"pig-last-round-montecarlo", "pigpen train --variant pig-last-round --agent montecarlo --steps 2.5G --out pig-last-round-montecarlo.msgpack",
			110, 0.48946367065365565, 0.012384522440715084},
		{"cochon-qlearning", "pigpen train --variant cochon --agent qlearning --steps 300M --out cochon-qlearning.msgpack",
			14, 0.5000000000000004, 0},
		{"cochon-montecarlo", "pigpen train --variant cochon --agent montecarlo --steps 300M --out cochon-montecarlo.msgpack",
			6, 0.5000000000000004, 0},
		{"piglet-qlearning", "pigpen train --variant piglet --agent qlearning --steps 300M --out piglet-qlearning.msgpack",
			13, 0.498892341059593, 0.0011076589404069859},
		{"piglet-montecarlo", "pigpen train --variant piglet --agent montecarlo --steps 300M --out piglet-montecarlo.msgpack",
			9, 0.4947350876603271, 0.006178198589197992},
		{"pig-snake-eyes-qlearning", "pigpen train --variant pig-snake-eyes --agent qlearning --steps 2.5G --out pig-snake-eyes-qlearning.msgpack",
			79, 0.49825330208610635, 0.001771877999982463},
		{"pig-snake-eyes-montecarlo", "pigpen train --variant pig-snake-eyes --agent montecarlo --steps 2.5G --out pig-snake-eyes-montecarlo.msgpack",
			90, 0.49859157807738264, 0.0014734729590821782},
		{"pass-the-pigs-qlearning", "pigpen train --variant pass-the-pigs --agent qlearning --steps 400M --out pass-the-pigs-qlearning.msgpack",
			38, 0.49391450373903506, 0.006290209023391835},
		{"double-trouble-qlearning", "pigpen train --variant double-trouble --agent qlearning --steps 400M --out double-trouble-qlearning.msgpack",
			35, 0.4950841800502109, 0.005007818166321343},
	}
}
